// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower.h"

#include "passes.h"
#include "prefetch.h"
#include "rewrite.h"

#include <tvm/ffi/reflection/creator.h>

namespace vitc::tvm_backend {

namespace {

/// An argument as the loops see it: a run of floats behind a pointer.
struct Memory {
  Expr pointer;
  Node buffer;
};

/// The arguments of one function.
using Memories = std::map<std::string, Memory>;

} // namespace

std::string sectionSymbol(const std::string &name, size_t stage,
                          size_t section) {
  return name + "_tvm" + std::to_string(stage) + "_" + std::to_string(section);
}

/// The last float, plus one, that a view can reach.
static int64_t reach(const View &view) {
  int64_t result = view.offset + 1;
  for (const Dimension &dimension : view.dimensions)
    result += (dimension.extent - 1) * dimension.stride;
  return result;
}

static Memories declareArguments(const Kernel &kernel, const Section &section) {
  Memories memories;
  for (const BuiltArgument &argument : kernel.arguments) {
    int64_t floats = 1;
    for (const Part &part : section.parts)
      for (const View &view : part.views)
        if (view.argument == argument.name)
          floats = std::max(floats, reach(view));
    Node type = make("ir.PointerType", typeOf(float32), "global");
    Expr pointer = make("ir.Var", argument.name, type, nullptr);
    Node bufferType = make(
        "tirx.BufferType", "global", float32,
        Nodes{make("ir.IntImm", int32, floats, nullptr)}, Nodes{}, nullptr,
        /*data_alignment=*/-1, /*offset_factor=*/0, nullptr, Nodes{}, nullptr);
    Node buffer = make("tirx.BufferVar", argument.name, bufferType, nullptr);
    memories.insert({argument.name, {pointer, buffer}});
  }
  return memories;
}

/// The loops of a part with blocks lowered: what is left are loops, loads and
/// stores.
static Node functionOf(Part &part) {
  Node module = lowerBlocks(part.schedule().module());
  Node name =
      call("ir.Module_GetGlobalVars", module).cast<Nodes>()[0].cast<Node>();
  return make("ir.Module_Lookup", module, name);
}

/// Replaces the dense tensors of the function's parameters by the places that
/// the views give them in the kernel's arguments.
static Node placeInMemory(const Part &part, const Node &function,
                          const Memories &memories) {
  struct Target {
    Node buffer;
    const View *view;
  };
  std::map<const ffi::Object *, Target> targets;
  Nodes parameters = field(function, "params").cast<Nodes>();
  for (size_t i = 0; i < part.views.size(); ++i)
    targets[parameters[i].cast<Node>().get()] = {
        memories.at(part.views[i].argument).buffer, &part.views[i]};
  auto indexIn = [](const View &view, const Nodes &indices) {
    Expr index = int(view.offset);
    for (size_t i = 0; i < view.dimensions.size(); ++i)
      index = index + Expr(indices[i].cast<Node>()) *
                          Expr(int(view.dimensions[i].stride));
    return Nodes{index.node};
  };
  auto targetOf = [&](const Node &buffer) -> const Target * {
    auto found = targets.find(buffer.get());
    return found == targets.end() ? nullptr : &found->second;
  };
  return rewriteNodes(
      child(function, "body"),
      {{"ir.TensorLoad",
        [&](const Node &load) {
          const Target *target = targetOf(child(load, "source"));
          if (!target)
            return load;
          Nodes indices = field(load, "indices").cast<Nodes>();
          return make("tirx.BufferLoad", target->buffer,
                      indexIn(*target->view, indices), nullptr);
        }},
       {"tirx.BufferStore", [&](const Node &store) {
          const Target *target = targetOf(child(store, "buffer"));
          if (!target)
            return store;
          Nodes indices = field(store, "indices").cast<Nodes>();
          return make("tirx.BufferStore", target->buffer, child(store, "value"),
                      indexIn(*target->view, indices), nullptr);
        }}});
}

/// One task of a part: the body of its outermost loop for `task`. A loop of
/// one task is gone already.
static Node taskOf(Part &part, const Memories &memories, const Expr &task,
                   int tasks) {
  constexpr int parallelLoop = 1;
  Node body = placeInMemory(part, functionOf(part), memories);
  Expr variable = task;
  if (tasks > 1) {
    if (!isA(body, "tirx.For") ||
        field(body, "kind").cast<int>() != parallelLoop ||
        constant(child(body, "extent")) != tasks)
      throw std::logic_error(
          "the outermost loop of a part is not that over its " +
          std::to_string(tasks) + " tasks");
    variable = child(body, "loop_var");
    body = child(body, "body");
  }
  if (part.prefetch)
    body = spreadPrefetch(body, *part.prefetch,
                          memories.at(part.prefetch->argument).buffer,
                          variable.node);
  return tasks > 1 ? substitute(body, variable.node, task) : body;
}

static Node lowerSection(const Kernel &kernel, Section section,
                         const std::string &symbol) {
  Memories memories = declareArguments(kernel, section);
  Expr task = variable("task", int32);
  std::vector<Node> tasks;
  for (Part &part : section.parts)
    tasks.push_back(taskOf(part, memories, task, section.tasks));

  Nodes parameters{task.node};
  std::vector<Node> statements;
  for (const BuiltArgument &argument : kernel.arguments) {
    const Memory &memory = memories.at(argument.name);
    parameters.push_back(memory.pointer.node);
    statements.push_back(
        make("tirx.DeclBuffer", memory.buffer, memory.pointer.node, nullptr));
  }
  statements.insert(statements.end(), tasks.begin(), tasks.end());
  ffi::Map<ffi::String, ffi::Any> attributes, fields;
  attributes.Set("global_symbol", ffi::String(symbol));
  attributes.Set("tirx.noalias", !kernel.mayAlias);
  fields.Set("__dict__", attributes);
  ffi::Any made = ffi::reflection::ObjectCreator("ir.DictAttrs")(fields);
  return make("tirx.PrimFunc", parameters, sequence(statements),
              make("ir.TupleType", Nodes{}, nullptr), made.cast<Node>(),
              nullptr);
}

Node lowerKernel(const Kernel &kernel, const std::string &name,
                 const Node &target) {
  ffi::Map<ffi::Any, ffi::Any> functions;
  for (size_t i = 0; i < kernel.stages.size(); ++i)
    for (size_t j = 0; j < kernel.stages[i].sections.size(); ++j) {
      std::string symbol = sectionSymbol(name, i, j);
      functions.Set(make("ir.GlobalVar", symbol),
                    lowerSection(kernel, kernel.stages[i].sections[j], symbol));
    }
  return lowerLoops(
      make("ir.IRModule", functions, nullptr, ffi::Map<ffi::Any, ffi::Any>()),
      target);
}

} // namespace vitc::tvm_backend
