# Code from list.txt. The matchers are compiled in groups of 8, so that no file takes long and groups compile side by
# side; a new matcher needs no other change than its line.
set(TRAWL_MATCHER_LIST ${CMAKE_CURRENT_LIST_DIR}/list.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${TRAWL_MATCHER_LIST})

# trawl_generate_matchers(OUT KIND ROOM DRIVER EXTENSION): sources that define std::vector<KindMatcher> kind_matchers() in
# namespace trawl::ROOM, with an entry internal::kind_matcher<Type>() for each line of the list that is for this kind;
# DRIVER is the header that defines these. KIND is cpu or gpu. OUT is set to the sources' names.
function(trawl_generate_matchers out kind room driver extension)
  string(SUBSTRING ${kind} 0 1 initial)
  string(TOUPPER ${initial} initial)
  string(SUBSTRING ${kind} 1 -1 rest)
  set(class ${initial}${rest}Matcher)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/matchers)
  set(note "// Made by CMake from src/matchers/list.txt.\n")
  file(STRINGS ${TRAWL_MATCHER_LIST} lines REGEX "^[^#]")
  if(kind STREQUAL cpu)
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
          message(FATAL_ERROR "${TRAWL_MATCHER_LIST}: '${line}' is not a header, a type and perhaps an engine")
        endif()
        string(APPEND includes "#include \"matchers/${CMAKE_MATCH_1}.hpp\"\n")
        string(APPEND entries "internal::${kind}_matcher<matchers::${CMAKE_MATCH_2}>(), ")
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
    set(header matchers/${kind}_matchers.hpp)
  else()
    set(header ${room}/matchers/${kind}_matchers.hpp)
  endif()
  file(CONFIGURE OUTPUT ${source} CONTENT "${note}#include \"${header}\"

namespace trawl::${room} {
${declarations}
const std::vector<${class}>& ${kind}_matchers() {
  static const std::vector<${class}> list = [] {
    std::vector<${class}> all;
${calls}    return all;
  }();
  return list;
}
}  // namespace trawl::${room}
" @ONLY)
  list(APPEND sources ${source})
  set(${out} ${sources} PARENT_SCOPE)
endfunction()
