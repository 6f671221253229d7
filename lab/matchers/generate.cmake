# Code from list.txt and sets/list.txt. The matchers are compiled in groups of 8, so that no file takes long and groups
# compile side by side; a new matcher needs no other change than its line.

# trawl_generate_matchers(OUT KIND ROOM DRIVER EXTENSION): sources that define std::vector<KindMatcher> kind_matchers() in
# namespace trawl::ROOM, with an entry internal::kind_matcher<Type>() for each line of the list that is for this kind;
# DRIVER is the header that defines these. KIND is cpu, gpu, or, for matchers of sets, cpu_set or gpu_set. OUT is set to
# the sources' names.
function(trawl_generate_matchers out kind room driver extension)
  set(class "")
  string(REPLACE "_" ";" words ${kind})
  foreach(word IN LISTS words)
    string(SUBSTRING ${word} 0 1 initial)
    string(TOUPPER ${initial} initial)
    string(SUBSTRING ${word} 1 -1 rest)
    string(APPEND class ${initial}${rest})
  endforeach()
  string(APPEND class Matcher)
  if(kind MATCHES "_set$")
    set(subfolder sets/)
    set(subspace sets::)
    set(result all)
  else()
    set(result "matchers::checked_list(all)")
    set(subfolder "")
    set(subspace "")
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/matchers)
  set(matcher_list ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${subfolder}list.txt)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${matcher_list})
  set(note "// Made by CMake from lab/matchers/${subfolder}list.txt.\n")
  file(STRINGS ${matcher_list} lines REGEX "^[^#]")
  if(kind MATCHES "^cpu")
    list(FILTER lines EXCLUDE REGEX "[ \t]cuda[ \t]*$")
  else()
    list(FILTER lines EXCLUDE REGEX "[ \t]cpu[ \t]*$")
  endif()
  set(sources "")
  set(declarations "")
  set(calls "")
  set(group 0)
  while(lines)
    set(includes "")
    set(entries "")
    foreach(i RANGE 1 8)
      if(lines)
        list(POP_FRONT lines line)
        if(NOT line MATCHES "^([a-z0-9_/]+)[ \t]+([A-Za-z0-9_]+)([ \t]+(cpu|cuda))?[ \t]*$")
          message(FATAL_ERROR "${matcher_list}: '${line}' is not a header, a type and perhaps an engine")
        endif()
        string(APPEND includes "#include \"lab/matchers/${subfolder}${CMAKE_MATCH_1}.hpp\"\n")
        string(APPEND entries "internal::${kind}_matcher<matchers::${subspace}${CMAKE_MATCH_2}>(), ")
      endif()
    endforeach()
    set(source ${folder}/${kind}_group_${group}${extension})
    file(CONFIGURE OUTPUT ${source} CONTENT "${note}#include \"${driver}\"
${includes}
namespace trawl::${room} {
std::vector<${class}> ${kind}_group_${group}() { return {${entries}}; }
}  // namespace trawl::${room}
" @ONLY)
    list(APPEND sources ${source})
    string(APPEND declarations "std::vector<${class}> ${kind}_group_${group}();\n")
    string(APPEND calls "    for (const ${class}& matcher : ${kind}_group_${group}()) all.push_back(matcher);\n")
    math(EXPR group "${group} + 1")
  endwhile()
  set(source ${folder}/${kind}_matchers.cpp)
  if(room STREQUAL matchers)
    set(header lab/matchers/${subfolder}${kind}_matchers.hpp)
  else()
    set(header lab/kernels/${subfolder}${kind}_matchers.hpp)
  endif()
  file(CONFIGURE OUTPUT ${source} CONTENT "${note}#include \"${header}\"

namespace trawl::${room} {
${declarations}
const std::vector<${class}>& ${kind}_matchers() {
  static const std::vector<${class}> list = [] {
    std::vector<${class}> all;
${calls}    return ${result};
  }();
  return list;
}
}  // namespace trawl::${room}
" @ONLY)
  list(APPEND sources ${source})
  set(${out} ${sources} PARENT_SCOPE)
endfunction()
