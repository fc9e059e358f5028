// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "JsonMutator.h"

#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

using Json = nlohmann::ordered_json;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {

class Mutator {
public:
  Mutator(Json &root, unsigned seed) : root(root), random(seed) {
    collect(root);
  }

  void change() {
    Json &value = *pick(values);
    switch (below(8)) {
    case 0:
      value = anyValue();
      break;
    case 1: // a part of the same document, of any type
      value = Json(*pick(values));
      break;
    case 2:
      remove(value);
      break;
    case 3:
      repeat(value);
      break;
    case 4:
      rename(value);
      break;
    default:
      alter(value);
    }
    // Places in the tree have moved.
    values.clear();
    collect(root);
  }

  /// Puts a value of another document in: under its own key, or in the place
  /// of the value of that key.
  void take(Json &other) {
    std::vector<std::pair<std::string, Json>> members;
    collectMembers(other, members);
    std::vector<Json *> objects;
    for (Json *value : values)
      if (value->is_object())
        objects.push_back(value);
    if (members.empty() || objects.empty())
      return;
    auto &[key, value] = members[below(members.size())];
    (*pick(objects))[key] = value;
  }

private:
  size_t below(size_t count) { return random() % count; }
  Json *pick(const std::vector<Json *> &from) {
    return from[below(from.size())];
  }

  /// Any element of an object or list that is not empty.
  Json::iterator member(Json &value) {
    return std::next(value.begin(), below(value.size()));
  }

  void collect(Json &value) {
    values.push_back(&value);
    if (value.is_structured())
      for (Json &inner : value)
        collect(inner);
  }

  static void
  collectMembers(Json &value,
                 std::vector<std::pair<std::string, Json>> &members) {
    if (value.is_object())
      for (auto &[key, inner] : value.items())
        members.emplace_back(key, inner);
    if (value.is_structured())
      for (Json &inner : value)
        collectMembers(inner, members);
  }

  Json anyNumber() {
    constexpr int64_t integers[] = {0,
                                    1,
                                    -1,
                                    2,
                                    3,
                                    4,
                                    5,
                                    7,
                                    8,
                                    12,
                                    16,
                                    17,
                                    24,
                                    31,
                                    32,
                                    64,
                                    100,
                                    127,
                                    128,
                                    255,
                                    256,
                                    1000,
                                    1024,
                                    4095,
                                    4096,
                                    32767,
                                    65535,
                                    65536,
                                    65537,
                                    1 << 20,
                                    1 << 24,
                                    std::numeric_limits<int32_t>::max(),
                                    std::numeric_limits<int32_t>::min(),
                                    int64_t(1) << 31,
                                    int64_t(1) << 32,
                                    int64_t(1) << 53,
                                    int64_t(1) << 62,
                                    std::numeric_limits<int64_t>::max(),
                                    std::numeric_limits<int64_t>::min()};
    constexpr double reals[] = {0.0,     -0.0,   0.5,    1.5,   -1.5, 1e-5,
                                1e-12,   1e-300, 5e-324, 1e300, 4.0,  255.0,
                                1.0 / 3, 2.6667, 1e10,   -1e300};
    switch (below(4)) {
    case 0:
      return reals[below(std::size(reals))];
    case 1:
      return int64_t(below(40));
    case 2:
      return std::numeric_limits<uint64_t>::max() >> below(64);
    default:
      return integers[below(std::size(integers))];
    }
  }

  Json anyValue() {
    switch (below(10)) {
    case 0:
      return nullptr;
    case 1:
      return below(2) == 0;
    case 2:
      return Json::array();
    case 3:
      return Json::object();
    case 4:
      return "";
    case 5:
      return Json::array({anyNumber(), anyNumber()});
    default:
      return anyNumber();
    }
  }

  /// Another value of the same type.
  void alter(Json &value) {
    if (value.is_boolean())
      value = !value.get<bool>();
    else if (value.is_number_integer() && below(2))
      value = near(value.get<int64_t>());
    else if (value.is_number())
      value = anyNumber();
    else if (value.is_string())
      value = altered(value.get<std::string>());
    else if (value.is_structured() && !value.empty())
      alter(*member(value));
    else
      value = anyValue();
  }

  int64_t near(int64_t value) {
    auto wide = uint64_t(value); // wraps around
    switch (below(6)) {
    case 0:
      return int64_t(wide + 1);
    case 1:
      return int64_t(wide - 1);
    case 2:
      return int64_t(wide * 2);
    case 3:
      return value / 2;
    case 4:
      return int64_t(-wide);
    default:
      return int64_t(wide ^ (uint64_t(1) << below(16)));
    }
  }

  /// Words of the same document are what readers compare with; libFuzzer knows
  /// others that it has seen in comparisons.
  std::string altered(std::string text) {
    if (below(2)) {
      std::vector<std::string> words;
      for (Json *value : values)
        if (value->is_string())
          words.push_back(value->get<std::string>());
      if (!words.empty())
        return words[below(words.size())];
    }
    size_t size = text.size();
    text.resize(size + 32);
    text.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(text.data()), size,
                                 text.size()));
    return text;
  }

  void remove(Json &value) {
    if (!value.is_structured() || value.empty())
      return;
    value.erase(member(value));
  }

  void repeat(Json &value) {
    constexpr size_t longest = 64;
    if (!value.is_array() || value.empty() || value.size() > longest)
      return;
    Json element = value[below(value.size())];
    value.insert(value.begin() + below(value.size() + 1), element);
  }

  void rename(Json &value) {
    if (!value.is_object() || value.empty())
      return;
    Json::iterator old = member(value);
    std::string key = altered(old.key());
    Json moved = *old;
    value.erase(old);
    value[key] = std::move(moved);
  }

  Json &root;
  std::mt19937 random;
  std::vector<Json *> values;
};

} // namespace

static bool parse(const std::string &text, Json &result) {
  result = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return !result.is_discarded();
}

static std::string print(const Json &value) {
  // Text that is not UTF-8 is another fuzzer's matter.
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string vitc::fuzz::mutateJson(const std::string &text, unsigned seed) {
  Json root;
  if (!parse(text, root))
    return text;
  Mutator mutator(root, seed);
  for (unsigned changes = 1 + seed % 4; changes > 0; --changes)
    mutator.change();
  return print(root);
}

std::string vitc::fuzz::crossJson(const std::string &first,
                                  const std::string &second, unsigned seed) {
  Json root, other;
  if (!parse(first, root) || !parse(second, other))
    return first;
  Mutator(root, seed).take(other);
  return print(root);
}
