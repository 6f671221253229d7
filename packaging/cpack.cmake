# The Debian package: cmake --preset package && cmake --build --preset package && cpack --config build/package/CPackConfig.cmake
set(TRAWL_MAINTAINER "The Trawl authors <trawl@localhost>" CACHE STRING "Name and address of the one who makes a package")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_PACKAGE_VENDOR "The Trawl authors")
set(CPACK_PACKAGE_CONTACT ${TRAWL_MAINTAINER})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "read mapper and pattern scanner that finds every match")
set(CPACK_PACKAGE_DESCRIPTION "Trawl finds every place where a short read or pattern matches a reference
within a given number of edits, on CPUs and NVIDIA GPUs, and writes SAM,
BAM, CRAM, BED and tables. No index file is needed.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "samtools, bedtools")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
# What Debian asks for beyond `cmake --install`.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian_files.cmake)
include(CPack)
