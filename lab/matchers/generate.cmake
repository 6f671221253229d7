# trawl_generate_matchers(OUT KIND HEADER [DRIVER]): sources that define kind_matchers(), which HEADER declares, with an
# entry internal::kind_matcher<Type>() of HEADER or DRIVER for each type of list.txt that is for this kind. KIND is cpu,
# gpu, or, for matchers of sets, cpu_set or gpu_set. Each line of the list is one source. OUT is set to their names.
function(trawl_generate_matchers out kind header)
  set(driver ${header} ${ARGN})
  list(GET driver -1 driver)
  set(list_file ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/list.txt)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list_file})
  if(kind MATCHES "^cpu")
    set(space matchers)
    set(entry_type Cpu)
    set(extension .cpp)
    set(other cuda)
  else()
    set(space gpu)
    set(entry_type Gpu)
    set(extension .cu)
    set(other cpu)
  endif()
  set(subspace "")
  file(STRINGS ${list_file} lines REGEX "^[a-z]")
  list(FILTER lines EXCLUDE REGEX " ${other}$")
  if(kind MATCHES "_set$")
    list(FILTER lines INCLUDE REGEX "^sets/")
    string(APPEND entry_type Set)
    set(subspace sets::)
  else()
    list(FILTER lines EXCLUDE REGEX "^sets/")
  endif()
  string(APPEND entry_type Matcher)
  set(sources "")
  set(declarations "")
  set(calls "")
  foreach(line IN LISTS lines)
    if(NOT line MATCHES "^([a-z_/]+)(( +[A-Z][A-Za-z0-9]+)+)( +(cpu|cuda))?$")
      message(FATAL_ERROR "${list_file}: '${line}' is not a header, its types and perhaps an engine")
    endif()
    set(family ${CMAKE_MATCH_1})
    string(REGEX REPLACE " +([A-Za-z0-9]+)" "internal::${kind}_matcher<matchers::${subspace}\\1>(), " entries "${CMAKE_MATCH_2}")
    list(LENGTH sources group)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/matchers/${kind}_group_${group}${extension})
    file(CONFIGURE OUTPUT ${source} CONTENT "// Made by CMake from lab/matchers/list.txt.
#include \"${driver}\"
#include \"lab/matchers/${family}.hpp\"

namespace trawl::${space} {
std::vector<${entry_type}> ${kind}_group_${group}() { return {${entries}}; }
}  // namespace trawl::${space}
" @ONLY)
    list(APPEND sources ${source})
    string(APPEND declarations "std::vector<${entry_type}> ${kind}_group_${group}();\n")
    string(APPEND calls "    for (const ${entry_type}& matcher : ${kind}_group_${group}()) all.push_back(matcher);\n")
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/matchers/${kind}_list.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Made by CMake from lab/matchers/list.txt.
#include \"${header}\"

namespace trawl::${space} {
${declarations}
const std::vector<${entry_type}>& ${kind}_matchers() {
  static const std::vector<${entry_type}> list = [] {
    std::vector<${entry_type}> all;
${calls}    return all;
  }();
  return list;
}
}  // namespace trawl::${space}
" @ONLY)
  set(${out} ${sources} ${source} PARENT_SCOPE)
endfunction()
