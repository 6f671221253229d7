# Whether MPI is used: TRAWL_WITH_MPI, and then the target MPI::MPI_CXX.
set(TRAWL_MPI AUTO CACHE STRING "Run on many nodes with MPI: ON, OFF, or AUTO, where MPI is found")
set_property(CACHE TRAWL_MPI PROPERTY STRINGS AUTO ON OFF)
set(TRAWL_WITH_MPI OFF)
if(TRAWL_MPI)  # AUTO counts as true
  set(MPI_CXX_SKIP_MPICXX ON)  # the C functions only
  if(TRAWL_MPI STREQUAL "AUTO")
    find_package(MPI 3.0 COMPONENTS CXX QUIET)
  else()
    find_package(MPI 3.0 REQUIRED COMPONENTS CXX)
  endif()
  set(TRAWL_WITH_MPI ${MPI_CXX_FOUND})
endif()
