# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Reference pages generated from ODS. `vitc-docs` writes them to docs/generated; the test docs-are-current fails when they are stale.
set(VITC_GENERATED_DOCS ${CMAKE_BINARY_DIR}/docs/generated)
add_custom_target(vitc-docs)
add_custom_target(vitc-docs-build)

# Copies a page that a target makes to both places.
function(vitc_add_page page source target)
  get_filename_component(name ${page} NAME_WE)
  add_custom_target(vitc-doc-${name} COMMAND ${CMAKE_COMMAND} -E copy ${source} ${VITC_GENERATED_DOCS}/${page} DEPENDS ${target})
  add_custom_target(vitc-doc-copy-${name}
    COMMAND ${CMAKE_COMMAND} -E copy ${source} ${PROJECT_SOURCE_DIR}/docs/generated/${page} DEPENDS ${target})
  add_dependencies(vitc-docs-build vitc-doc-${name})
  add_dependencies(vitc-docs vitc-doc-copy-${name})
endfunction()

# vitc_add_doc(Ops.td Page.md -gen-…)
function(vitc_add_doc td page)
  file(MAKE_DIRECTORY ${VITC_GENERATED_DOCS})
  set(output ${VITC_GENERATED_DOCS}/${page})
  get_filename_component(name ${page} NAME_WE)
  add_custom_command(OUTPUT ${output}
    COMMAND ${MLIR_TABLEGEN_EXE} ${ARGN} -I ${MLIR_INCLUDE_DIRS} -I ${PROJECT_SOURCE_DIR}/compiler/include -I ${PROJECT_SOURCE_DIR}/schedules
            ${CMAKE_CURRENT_SOURCE_DIR}/${td} -o ${output} -d ${output}.d
    DEPFILE ${output}.d DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${td} COMMENT "Generating ${page}" VERBATIM)
  add_custom_target(vitc-doc-${name} DEPENDS ${output})
  add_custom_target(vitc-doc-copy-${name}
    COMMAND ${CMAKE_COMMAND} -E copy ${output} ${PROJECT_SOURCE_DIR}/docs/generated/${page} DEPENDS ${output})
  add_dependencies(vitc-docs-build vitc-doc-${name})
  add_dependencies(vitc-docs vitc-doc-copy-${name})
endfunction()
