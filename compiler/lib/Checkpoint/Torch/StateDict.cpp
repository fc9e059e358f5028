// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StateDict.h"

#include "StoredData.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace llvm;

namespace vitc {

using Kind = PickleValue::Kind;

static constexpr size_t maxTorchRank = 32;
static constexpr StringLiteral rebuildTensor =
    "torch._utils._rebuild_tensor_v2";
static constexpr StringLiteral rebuildParameter =
    "torch._utils._rebuild_parameter";
static constexpr StringLiteral orderedDict = "collections.OrderedDict";
/// Harmless values beside the tensors.
static constexpr StringLiteral others[] = {
    "collections.Counter", "torch.Size",    "torch.bfloat16", "torch.bool",
    "torch.device",        "torch.float16", "torch.float32",  "torch.float64",
    "torch.int16",         "torch.int32",   "torch.int64",    "torch.int8",
    "torch.uint8",
};

static std::optional<StoredType> typeOfStorage(StringRef name) {
  static constexpr std::pair<StringLiteral, StoredType> known[] = {
      {"torch.DoubleStorage", StoredType::F64},
      {"torch.FloatStorage", StoredType::F32},
      {"torch.HalfStorage", StoredType::F16},
      {"torch.BFloat16Storage", StoredType::BF16},
      {"torch.LongStorage", StoredType::I64},
      {"torch.IntStorage", StoredType::I32},
      {"torch.ShortStorage", StoredType::I16},
      {"torch.CharStorage", StoredType::I8},
      {"torch.ByteStorage", StoredType::U8},
      {"torch.BoolStorage", StoredType::Bool},
  };
  for (const auto &[storage, type] : known)
    if (storage == name)
      return type;
  return std::nullopt;
}

bool isTorchGlobal(StringRef name) {
  return name == rebuildTensor || name == rebuildParameter ||
         name == orderedDict || typeOfStorage(name) ||
         is_contained(others, name);
}

Expected<TorchStorage> readTorchStorage(StringRef place,
                                        const PickleValue &persistent) {
  auto bad = [&] {
    return userError(place, "a tensor's storage is not described by "
                            "(\"storage\", type, key, device, size)");
  };
  const PickleValue &id = *persistent.items[0];
  // Files from before PyTorch 1.6 have a sixth element, which is None.
  if (id.kind != Kind::Tuple || id.items.size() < 5 || id.items.size() > 6 ||
      (id.items.size() == 6 && id.items[5]->kind != Kind::None))
    return bad();
  const PickleValue &tag = *id.items[0], &storage = *id.items[1],
                    &key = *id.items[2], &size = *id.items[4];
  if (tag.kind != Kind::String || tag.text != "storage" ||
      storage.kind != Kind::Global || key.kind != Kind::String ||
      size.kind != Kind::Int || size.integer < 0)
    return bad();
  std::optional<StoredType> type = typeOfStorage(storage.text);
  if (!type)
    return bad();
  return TorchStorage{*type, key.text, size.integer};
}

/// Keys and values in turn, if it is a dictionary of either kind.
static std::optional<ArrayRef<const PickleValue *>>
entriesOf(const PickleValue &value) {
  if (value.kind == Kind::Dict)
    return ArrayRef(value.items);
  if (value.kind == Kind::Call && value.text == orderedDict &&
      value.items[0]->items.empty())
    return ArrayRef(value.entries);
  return std::nullopt;
}

static bool isTensor(const PickleValue &value) {
  return value.kind == Kind::Call &&
         (value.text == rebuildTensor || value.text == rebuildParameter);
}

static bool hasTensors(ArrayRef<const PickleValue *> entries) {
  for (size_t i = 1; i < entries.size(); i += 2)
    if (isTensor(*entries[i]))
      return true;
  return false;
}

/// Picks the dictionary as timm does.
static Expected<ArrayRef<const PickleValue *>>
findStateDict(StringRef path, const PickleValue &value) {
  std::optional<ArrayRef<const PickleValue *>> top = entriesOf(value);
  if (!top)
    return userError(path, isTensor(value)
                               ? "it holds a single tensor, expected a "
                                 "dictionary of tensors"
                               : "it does not hold a dictionary, expected one "
                                 "of tensors");
  constexpr StringLiteral usual[] = {"state_dict_ema", "model_ema",
                                     "state_dict", "model"};
  for (StringRef wanted : usual)
    for (size_t i = 0; i < top->size(); i += 2)
      if ((*top)[i]->kind == Kind::String && (*top)[i]->text == wanted)
        if (auto inner = entriesOf(*(*top)[i + 1])) {
          if (hasTensors(*inner))
            return *inner;
          return userError(path,
                           "its " + inQuotes(wanted) + " holds no tensors");
        }
  if (hasTensors(*top))
    return *top;

  constexpr size_t maxShown = 8;
  std::vector<std::string> keys;
  for (size_t i = 0; i < top->size() && keys.size() < maxShown; i += 2)
    if ((*top)[i]->kind == Kind::String)
      keys.push_back(inQuotes((*top)[i]->text));
  return userError(path, "it holds no tensors at its top, nor under " +
                             join(ArrayRef(usual), ", ") + "; it has " +
                             (keys.empty() ? "nothing" : join(keys, ", ")));
}

/// A tuple of whole numbers from 0.
static bool readIntegers(const PickleValue &value,
                         std::vector<int64_t> &numbers) {
  if (value.kind != Kind::Tuple || value.items.size() > maxTorchRank)
    return false;
  for (const PickleValue *item : value.items) {
    if (item->kind != Kind::Int || item->integer < 0)
      return false;
    numbers.push_back(item->integer);
  }
  return true;
}

/// Whether the elements stand in row-major order without gaps.
static bool isContiguous(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  int64_t expected = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] == 1)
      continue;
    if (strides[axis] != expected)
      return false;
    expected *= shape[axis];
  }
  return true;
}

namespace {
/// A view as the pickle describes it.
struct TorchView {
  TorchStorage storage;
  int64_t offset = 0;
  std::vector<int64_t> shape, strides;
};
} // namespace

static Expected<TorchView> readView(StringRef place,
                                    const PickleValue &tensor) {
  auto bad = [&](const Twine &message) { return userError(place, message); };
  const PickleValue *call = &tensor;
  if (call->text == rebuildParameter) {
    ArrayRef<const PickleValue *> arguments = call->items[0]->items;
    if (arguments.empty() || !isTensor(*arguments[0]) ||
        arguments[0]->text == rebuildParameter)
      return bad("it is a parameter, but of no tensor");
    call = arguments[0];
  }
  // Storage, offset, shape, strides; whether it has a gradient and what else
  // training needs.
  ArrayRef<const PickleValue *> arguments = call->items[0]->items;
  TorchView view;
  if (arguments.size() < 4 || arguments[0]->kind != Kind::Persistent ||
      arguments[1]->kind != Kind::Int)
    return bad("it is not described by (storage, offset, shape, strides, …)");
  Expected<TorchStorage> storage = readTorchStorage(place, *arguments[0]);
  if (!storage)
    return storage.takeError();
  view.storage = *storage;
  view.offset = arguments[1]->integer;
  if (view.offset < 0)
    return bad("it starts at element " + Twine(view.offset) +
               " of its storage");
  if (!readIntegers(*arguments[2], view.shape))
    return bad("its shape is not a tuple of at most " + Twine(maxTorchRank) +
               " whole numbers");
  if (!readIntegers(*arguments[3], view.strides) ||
      view.strides.size() != view.shape.size())
    return bad("its strides are not a tuple of as many whole numbers as its "
               "shape " +
               shownShape(view.shape) + " has");
  return view;
}

/// Every element that the view reaches must be in the storage.
static Error checkBounds(StringRef place, const TorchView &view) {
  unsigned elementBytes = storedTypeBytes(view.storage.type);
  std::string shown = shownShape(view.shape);
  std::optional<int64_t> bytes = checkedBytes(elementBytes, view.shape);
  if (!bytes)
    return userError(place, "the shape " + shown + " overflows");
  std::optional<int64_t> end = view.offset;
  if (*bytes != 0) {
    for (size_t axis = 0; axis < view.shape.size(); ++axis)
      if (end)
        end = checkedMulAdd(view.shape[axis] - 1, view.strides[axis], *end);
    if (end)
      end = checkedAdd<int64_t>(*end, 1);
  }
  if (!end || *end > view.storage.elements)
    return userError(place, "the shape " + shown + " with the strides " +
                                shownShape(view.strides) + " from element " +
                                Twine(view.offset) + " leaves its storage of " +
                                Twine(view.storage.elements) + " elements");
  // Otherwise a few bytes could claim to be any number of elements.
  if (*bytes / elementBytes > view.storage.elements)
    return userError(place, "the shape " + shown +
                                " has more elements than "
                                "its storage, which has " +
                                Twine(view.storage.elements) +
                                "; save the tensor's contiguous() copy");
  return Error::success();
}

static Expected<StoredTensor>
readTensor(StringRef path, StringRef name, const PickleValue &value,
           function_ref<Expected<StringRef>(StringRef key)> storage) {
  std::string place = path.str() + ": the tensor " + inQuotes(name);
  Expected<TorchView> view = readView(place, value);
  if (!view)
    return view.takeError();
  if (Error error = checkBounds(place, *view))
    return error;
  Expected<StringRef> bytes = storage(view->storage.key);
  if (!bytes)
    return bytes.takeError();
  unsigned elementBytes = storedTypeBytes(view->storage.type);
  if (bytes->size() % elementBytes != 0 ||
      bytes->size() / elementBytes != uint64_t(view->storage.elements))
    return userError(place,
                     "its storage " + inQuotes(view->storage.key) + " has " +
                         Twine(bytes->size()) + " bytes, expected " +
                         Twine(view->storage.elements) + " elements of " +
                         storedTypeName(view->storage.type));
  StoredTensor tensor;
  tensor.data = bytes->data() + view->offset * elementBytes;
  if (!is_contained(view->shape, 0) &&
      !isContiguous(view->shape, view->strides))
    tensor.strides = std::move(view->strides);
  tensor.info = {name.str(), view->storage.type, std::move(view->shape),
                 path.str()};
  return tensor;
}

/// What DataParallel and torch.compile put before every name.
static size_t commonPrefix(ArrayRef<StringRef> names) {
  size_t length = 0;
  auto haveAll = [&](StringRef prefix) {
    return all_of(names, [&](StringRef name) {
      return name.substr(length).starts_with(prefix);
    });
  };
  for (bool more = true; more;) {
    more = false;
    for (StringRef prefix : {"module.", "_orig_mod."})
      if (haveAll(prefix)) {
        length += prefix.size();
        more = true;
      }
  }
  return length;
}

Expected<std::vector<StoredTensor>>
readTorchStateDict(StringRef path, const PickleValue &value,
                   function_ref<Expected<StringRef>(StringRef key)> storage) {
  Expected<ArrayRef<const PickleValue *>> entries = findStateDict(path, value);
  if (!entries)
    return entries.takeError();
  std::vector<StringRef> names;
  std::vector<const PickleValue *> values;
  for (size_t i = 0; i < entries->size(); i += 2) {
    const PickleValue &key = *(*entries)[i];
    if (!isTensor(*(*entries)[i + 1]))
      continue;
    if (key.kind != Kind::String)
      return userError(path, "the state dict has a tensor whose name is not a "
                             "string");
    names.push_back(key.text);
    values.push_back((*entries)[i + 1]);
  }
  size_t prefix = commonPrefix(names);
  StringSet<> seen;
  std::vector<StoredTensor> tensors;
  for (size_t i = 0; i < names.size(); ++i) {
    StringRef name = names[i].substr(prefix);
    if (!seen.insert(name).second)
      return userError(path, "the tensor " + inQuotes(name) + " comes twice");
    Expected<StoredTensor> tensor = readTensor(path, name, *values[i], storage);
    if (!tensor)
      return tensor.takeError();
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}

} // namespace vitc
