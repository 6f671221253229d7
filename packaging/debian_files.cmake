# CPack runs this on the installed files before it packs them: documents and man pages as Debian's policy wants them.
set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
set(documents ${root}/doc/trawl)

file(READ ${documents}/LICENSE licence)
string(REGEX MATCH "Copyright[^\n]*" copyright "${licence}")
string(REGEX REPLACE "^.*Copyright[^\n]*\n+" "" licence "${licence}")
string(REGEX REPLACE "\n$" "" licence "${licence}")
string(REPLACE "\n\n" "\n.\n" licence "${licence}")
string(REPLACE "\n" "\n " licence "${licence}")
string(REPLACE "Copyright (c) " "" copyright "${copyright}")
file(WRITE ${documents}/copyright
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Trawl

Files: *
Copyright: ${copyright}
License: Expat

License: Expat
 ${licence}
")
file(REMOVE ${documents}/LICENSE)

# The changelog of the package, in Debian's form; that of the program is beside it.
file(READ ${documents}/CITATION.cff citation)
string(REGEX MATCH "date-released: \"([0-9-]+)\"" found "${citation}")
execute_process(COMMAND date -R -u -d ${CMAKE_MATCH_1} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${documents}/changelog.Debian
"trawl (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Release ${CPACK_PACKAGE_VERSION}; see changelog.gz.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
file(RENAME ${documents}/CHANGELOG.md ${documents}/changelog)

file(GLOB to_compress ${root}/man/man1/*.1 ${documents}/changelog ${documents}/changelog.Debian)
execute_process(COMMAND gzip -9n ${to_compress} COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE files ${root}/*)
file(CHMOD ${files} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
