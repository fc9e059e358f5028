// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Google's weights (vision_transformer, big_vision) under timm's names.
///
/// JAX stores a layer's kernel as [inputs, outputs], a convolution's as [rows,
/// columns, inputs, outputs], and those of attention with an axis for the
/// heads; big_vision may store all blocks as one array with the block as first
/// axis. The arrays stay as they are; what a frontend asks for is turned when
/// it is read.
///
/// | arrays | from |
/// | --- | --- |
/// | `…` | vision_transformer |
/// | `opt/target/…` | the same with the optimizer's state beside it |
/// | `params/…`, `params/img/…` | big_vision; the second with a text tower |
#include "vitc/Checkpoint/Checkpoint.h"

#include "StoredData.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <map>
#include <mutex>

using namespace llvm;

namespace vitc {

namespace {

/// A stored array, or one block of a stack of them, seen as `shape` with its
/// axes in another order.
struct View {
  const TensorInfo *source;
  int64_t first; ///< element
  std::vector<int64_t> shape, order;
};

/// A tensor of timm's: views one after the other along the first axis.
using Views = std::vector<View>;

class JaxCheckpoint : public Checkpoint {
public:
  JaxCheckpoint(std::unique_ptr<Checkpoint> arrays,
                std::vector<std::pair<TensorInfo, Views>> tensors);

  ArrayRef<TensorInfo> tensors() const override { return infos; }
  void read(const TensorInfo &tensor, int64_t first,
            MutableArrayRef<float> out) const override {
    readAs(tensor, first, out);
  }
  void read(const TensorInfo &tensor, int64_t first,
            MutableArrayRef<double> out) const override {
    readAs(tensor, first, out);
  }
  void read(const TensorInfo &tensor, int64_t first,
            MutableArrayRef<int64_t> out) const override {
    // There are none in Google's own files, so they are not kept.
    std::vector<int64_t> all = joined<int64_t>(indexOf(tensor, first, out));
    llvm::copy(ArrayRef(all).slice(size_t(first), out.size()), out.begin());
  }
  std::string describe() const override { return arrays->describe(); }

private:
  template <typename Out>
  void readAs(const TensorInfo &tensor, int64_t first,
              MutableArrayRef<Out> out) const;
  /// Of the tensor among `infos`; that it has these elements is checked.
  template <typename Out>
  size_t indexOf(const TensorInfo &tensor, int64_t first,
                 MutableArrayRef<Out> out) const;
  /// All values of a tensor.
  template <typename Value>
  std::vector<Value> joined(size_t index) const;
  template <typename Value>
  std::vector<Value> turned(const View &view) const;

  std::unique_ptr<Checkpoint> arrays;
  std::vector<TensorInfo> infos;
  std::vector<Views> views; ///< parallel to infos
  /// The tensor that was read last: readers take one in many pieces.
  mutable std::mutex lock;
  mutable const TensorInfo *last = nullptr;
  mutable std::vector<double> values;
};

/// Finds timm's name for each array.
class Names {
public:
  Names(const Checkpoint &arrays, StringRef prefix);
  Error addAll();
  std::vector<std::pair<TensorInfo, Views>> take();

private:
  Error add(const TensorInfo &array, StringRef name);
  Error addToBlocks(const TensorInfo &array, StringRef block, StringRef name);
  Error addLayer(const TensorInfo &array, int64_t block,
                 const std::string &target, StringRef kind, unsigned part = 0);
  std::string backboneName(StringRef name) const;
  Error addAttention(const TensorInfo &array, int64_t block,
                     const std::string &target, StringRef name, bool isPool);

  const Checkpoint &arrays;
  StringRef prefix;
  bool isBigVision, isStemOnly = true;
  std::map<std::string, std::map<unsigned, View>> found;
};

} // namespace

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// The axis of the blocks is none of a tensor's own.
static constexpr int64_t noBlock = -1;

Names::Names(const Checkpoint &arrays, StringRef prefix)
    : arrays(arrays), prefix(prefix),
      isBigVision(
          prefix.starts_with("params/") ||
          arrays.find((prefix + "pos_embedding").str()) ||
          arrays.find(
              (prefix + "Transformer/encoderblock/LayerNorm_0/scale").str())) {
  for (const TensorInfo &array : arrays.tensors())
    if (StringRef(array.name).starts_with((prefix + "block1/").str()))
      isStemOnly = false;
}

static Error shapeError(const TensorInfo &array, const Twine &expected) {
  return userError(array.place, "the array " + inQuotes(array.name) + " is " +
                                    shownShape(array.shape) + ", expected " +
                                    expected);
}

/// Adds `target.weight` out of a kernel or scale, `target.bias` out of a bias,
/// or `target` itself out of anything else. `part` counts query, key and value,
/// which timm has in one tensor.
Error Names::addLayer(const TensorInfo &array, int64_t block,
                      const std::string &target, StringRef kind,
                      unsigned part) {
  View view{&array, 0, array.shape, {}};
  if (block != noBlock) {
    if (view.shape.empty() || block >= view.shape[0])
      return shapeError(array, "the blocks as first axis");
    view.shape.erase(view.shape.begin());
    int64_t size = 1;
    for (int64_t extent : view.shape)
      size *= extent;
    view.first = block * size;
  }
  std::string name = target;
  if (kind == "kernel") {
    name += ".weight";
    if (view.shape.size() == 4)
      view.order = {3, 2, 0, 1};
    else if (view.shape.size() == 2)
      view.order = {1, 0};
    else
      return shapeError(array, "two axes of a layer's kernel or four of a "
                               "convolution's");
  } else if (kind == "heads_in") { // [inputs, heads, channels]
    name += ".weight";
    if (view.shape.size() != 3)
      return shapeError(array, "inputs, heads and channels");
    view.shape = {view.shape[0], view.shape[1] * view.shape[2]};
    view.order = {1, 0};
  } else if (kind == "heads_out") { // [heads, channels, outputs]
    name += ".weight";
    if (view.shape.size() != 3)
      return shapeError(array, "heads, channels and outputs");
    view.shape = {view.shape[0] * view.shape[1], view.shape[2]};
    view.order = {1, 0};
  } else if (kind == "scale" || kind == "bias") {
    // Group norms have three axes of 1 in front, biases of heads two axes.
    name += kind == "scale" ? ".weight" : ".bias";
    int64_t size = 1;
    for (int64_t extent : view.shape)
      size *= extent;
    view.shape = {size};
  }
  if (view.order.empty())
    for (size_t axis = 0; axis < view.shape.size(); ++axis)
      view.order.push_back(int64_t(axis));
  found[name][part] = std::move(view);
  return Error::success();
}

/// MultiHeadDotProductAttention: `query/kernel` … `out/bias`. timm packs query,
/// key and value in a block, key and value in the pooling.
Error Names::addAttention(const TensorInfo &array, int64_t block,
                          const std::string &target, StringRef name,
                          bool isPool) {
  auto [layer, kind] = name.split('/');
  if (kind != "kernel" && kind != "bias")
    return addLayer(array, noBlock, array.name, "");
  bool isKernel = kind == "kernel";
  if (layer == "out")
    return addLayer(array, block, target + ".proj",
                    isKernel ? "heads_out" : "bias");
  unsigned part = StringSwitch<unsigned>(layer)
                      .Case("query", 0)
                      .Case("key", 1)
                      .Case("value", 2)
                      .Default(3);
  if (part == 3)
    return addLayer(array, noBlock, array.name, "");
  kind = isKernel ? "heads_in" : "bias";
  if (!isPool)
    return addLayer(array, block, target + ".qkv", kind, part);
  if (part == 0)
    return addLayer(array, block, target + ".q", kind);
  return addLayer(array, block, target + ".kv", kind, part);
}

/// One array of a block, or of a stack of all blocks (`block` empty).
Error Names::addToBlocks(const TensorInfo &array, StringRef block,
                         StringRef name) {
  int64_t first = 0, last = 0;
  bool isStack = block.empty();
  if (isStack) {
    if (array.shape.empty())
      return shapeError(array, "the blocks as first axis");
    last = array.shape[0] - 1;
  } else if (block.getAsInteger(10, first)) {
    return addLayer(array, noBlock, array.name, "");
  } else {
    last = first;
  }
  auto [layer, rest] = name.split('/');
  for (int64_t i = first; i <= last; ++i) {
    std::string target = "blocks." + std::to_string(i);
    int64_t index = isStack ? i : noBlock;
    Error error = Error::success();
    if (layer == "LayerNorm_0")
      error = addLayer(array, index, target + ".norm1", rest);
    else if (layer == (isBigVision ? "LayerNorm_1" : "LayerNorm_2"))
      error = addLayer(array, index, target + ".norm2", rest);
    else if (layer.starts_with("MultiHeadDotProductAttention_"))
      error = addAttention(array, index, target + ".attn", rest, false);
    else if (layer.starts_with("MlpBlock_") && rest.consume_front("Dense_0/"))
      error = addLayer(array, index, target + ".mlp.fc1", rest);
    else if (layer.starts_with("MlpBlock_") && rest.consume_front("Dense_1/"))
      error = addLayer(array, index, target + ".mlp.fc2", rest);
    else
      return addLayer(array, noBlock, array.name, "");
    if (error)
      return error;
    rest = name.split('/').second;
  }
  return Error::success();
}

/// The ResNet of a hybrid: `block1/unit1/conv1` is
/// `patch_embed.backbone.stages.0.blocks.0.conv1`. Empty if it is none of it.
std::string Names::backboneName(StringRef name) const {
  std::string backbone = "patch_embed.backbone.";
  std::string stem = isStemOnly ? backbone : backbone + "stem.";
  if (name == "conv_root")
    return stem + "conv";
  if (name == "gn_root")
    return stem + "norm";
  unsigned stage = 0, unit = 0;
  auto [block, rest] = name.split('/');
  auto [unitName, layer] = rest.split('/');
  if (!block.consume_front("block") || block.getAsInteger(10, stage) ||
      !unitName.consume_front("unit") || unitName.getAsInteger(10, unit) ||
      !stage || !unit)
    return "";
  std::string target = backbone + "stages." + std::to_string(stage - 1) +
                       ".blocks." + std::to_string(unit - 1) + ".";
  if (layer == "conv_proj")
    return target + "downsample.conv";
  if (layer == "gn_proj")
    return target + "downsample.norm";
  if (layer.starts_with("conv"))
    return target + layer.str();
  if (layer.consume_front("gn"))
    return target + "norm" + layer.str();
  return "";
}

Error Names::add(const TensorInfo &array, StringRef name) {
  if (name == "cls")
    return addLayer(array, noBlock, "cls_token", "");
  if (name == "pos_embedding" ||
      name == "Transformer/posembed_input/pos_embedding")
    return addLayer(array, noBlock, "pos_embed", "");
  auto [layer, kind] = name.rsplit('/');
  if (layer == "embedding")
    return addLayer(array, noBlock, "patch_embed.proj", kind);
  if (layer == "head")
    return addLayer(array, noBlock, "head", kind);
  if (layer == "pre_logits")
    return addLayer(array, noBlock, "pre_logits.fc", kind);
  if (layer == "Transformer/encoder_norm")
    return addLayer(array, noBlock, "norm", kind);
  if (StringRef rest = name; rest.consume_front("Transformer/encoderblock")) {
    auto [block, layerName] = rest.split('/');
    block.consume_front("_");
    return addToBlocks(array, block, layerName);
  }
  if (StringRef rest = name; rest.consume_front("MAPHead_0/")) {
    if (rest == "probe")
      return addLayer(array, noBlock, "attn_pool.latent", "");
    if (rest.consume_front("MultiHeadDotProductAttention_0/"))
      return addAttention(array, noBlock, "attn_pool", rest, true);
    if (rest.consume_front("LayerNorm_0/"))
      return addLayer(array, noBlock, "attn_pool.norm", rest);
    if (rest.consume_front("MlpBlock_0/Dense_0/"))
      return addLayer(array, noBlock, "attn_pool.mlp.fc1", rest);
    if (rest.consume_front("MlpBlock_0/Dense_1/"))
      return addLayer(array, noBlock, "attn_pool.mlp.fc2", rest);
  }
  if (std::string target = backboneName(layer); !target.empty())
    return addLayer(array, noBlock, target, kind);
  // Whoever does not know the name says so.
  return addLayer(array, noBlock, array.name, "");
}

Error Names::addAll() {
  for (const TensorInfo &array : arrays.tensors()) {
    // The optimizer's state, or a text tower.
    StringRef name = array.name;
    if (name.consume_front(prefix) && !name.starts_with("opt/"))
      if (Error error = add(array, name))
        return error;
  }
  for (auto &[name, parts] : found) {
    bool isQkv = StringRef(name).contains(".qkv.");
    bool isKv = StringRef(name).contains(".kv.");
    unsigned wanted = isQkv ? 3 : isKv ? 2 : 1;
    const View &first = parts.begin()->second;
    if (parts.size() != wanted)
      return userError(first.source->place,
                       "beside the array " + inQuotes(first.source->name) +
                           " there is none for another of query, key and "
                           "value");
    for (auto &[index, view] : parts) {
      if (view.shape != first.shape)
        return shapeError(*view.source, shownShape(first.source->shape) +
                                            " as " +
                                            inQuotes(first.source->name));
      // What is not empty is no larger than its file: all of them together have
      // a size, too.
      if (parts.size() > 1 && is_contained(view.shape, 0))
        return shapeError(*view.source, "no axis of 0");
      // One tensor has one type, and integers are read otherwise.
      if (isFloatingPoint(view.source->type) !=
          isFloatingPoint(first.source->type))
        return userError(view.source->place,
                         "the array " + inQuotes(view.source->name) + " is " +
                             storedTypeName(view.source->type) + ", expected " +
                             storedTypeName(first.source->type) + " as " +
                             inQuotes(first.source->name));
    }
  }
  return Error::success();
}

std::vector<std::pair<TensorInfo, Views>> Names::take() {
  std::vector<std::pair<TensorInfo, Views>> result;
  for (auto &[name, parts] : found) {
    const View &first = parts.begin()->second;
    TensorInfo info{name, first.source->type, {}, ""};
    for (int64_t axis : first.order)
      info.shape.push_back(first.shape[axis]);
    if (parts.size() > 1)
      info.shape[0] *= int64_t(parts.size());
    info.place = first.source->place;
    Views views;
    for (auto &[index, view] : parts)
      views.push_back(view);
    result.push_back({info, std::move(views)});
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

JaxCheckpoint::JaxCheckpoint(std::unique_ptr<Checkpoint> arrays,
                             std::vector<std::pair<TensorInfo, Views>> tensors)
    : arrays(std::move(arrays)) {
  llvm::sort(tensors, [](const auto &a, const auto &b) {
    return a.first.name < b.first.name;
  });
  for (auto &[info, parts] : tensors) {
    infos.push_back(std::move(info));
    views.push_back(std::move(parts));
  }
}

template <typename Value>
std::vector<Value> JaxCheckpoint::turned(const View &view) const {
  int64_t size = 1;
  std::vector<int64_t> strides(view.shape.size());
  for (size_t axis = view.shape.size(); axis-- > 0;) {
    strides[axis] = size;
    size *= view.shape[axis];
  }
  std::vector<Value> stored(size), result(size);
  arrays->read(*view.source, view.first, MutableArrayRef<Value>(stored));
  std::vector<int64_t> index(view.order.size());
  int64_t offset = 0;
  for (Value &value : result) {
    value = stored[offset];
    for (size_t axis = index.size(); axis-- > 0;) {
      int64_t from = view.order[axis];
      offset += strides[from];
      if (++index[axis] < view.shape[from])
        break;
      offset -= strides[from] * view.shape[from];
      index[axis] = 0;
    }
  }
  return result;
}

template <typename Value>
std::vector<Value> JaxCheckpoint::joined(size_t index) const {
  std::vector<Value> all;
  for (const View &view : views[index]) {
    std::vector<Value> part = turned<Value>(view);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

template <typename Out>
size_t JaxCheckpoint::indexOf(const TensorInfo &tensor, int64_t first,
                              MutableArrayRef<Out> out) const {
  const TensorInfo *mine = find(tensor.name);
  if (!mine)
    report_fatal_error(Twine("read of a tensor that is not in the file: ") +
                       tensor.name);
  checkReadRange(*mine, first, out.size());
  return size_t(mine - infos.data());
}

template <typename Out>
void JaxCheckpoint::readAs(const TensorInfo &tensor, int64_t first,
                           MutableArrayRef<Out> out) const {
  size_t index = indexOf(tensor, first, out);
  std::lock_guard<std::mutex> guard(lock);
  if (last != &infos[index]) {
    values = joined<double>(index);
    last = &infos[index];
  }
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = Out(values[first + int64_t(i)]);
}

Expected<std::unique_ptr<Checkpoint>>
adaptJaxCheckpoint(std::unique_ptr<Checkpoint> arrays) {
  for (StringRef prefix : {"", "opt/target/", "params/", "params/img/"}) {
    if (!arrays->find((prefix + "embedding/kernel").str()))
      continue;
    Names names(*arrays, prefix);
    if (Error error = names.addAll())
      return error;
    return std::make_unique<JaxCheckpoint>(std::move(arrays), names.take());
  }
  return arrays;
}

} // namespace vitc
