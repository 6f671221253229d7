// In a build without MPI.

#include "base/error.hpp"
#include "ranks/transport.hpp"

namespace trawl::ranks {

std::string mpi_library() { return ""; }

std::unique_ptr<Transport> start_mpi() {
  // srun says that it could start MPI also where a program has only one rank, so no number is no error.
  if (ranks_of_launcher()) {
    throw Error(
        "mpirun started several ranks, but this trawl was built without MPI; build it with -DTRAWL_MPI=ON, or "
        "start it without mpirun");
  }
  return nullptr;
}

}  // namespace trawl::ranks
