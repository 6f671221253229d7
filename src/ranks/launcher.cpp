#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "ranks/transport.hpp"

namespace trawl::ranks {

std::optional<unsigned> ranks_of_launcher() {
  // mpirun of Open MPI, and of MPICH and Intel MPI.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const char* text = std::getenv(name)) {
      unsigned ranks = 0;
      const auto read = std::from_chars(text, text + std::strlen(text), ranks);
      return read.ec == std::errc() ? std::optional(ranks) : std::nullopt;
    }
  }
  // srun --mpi=pmix and --mpi=pmi2 say a rank, but no number of ranks. SLURM_PROCID alone means nothing: it is also set
  // in the script of a job.
  for (const char* name : {"PMIX_RANK", "PMI_RANK", "PMI_FD"}) {
    if (std::getenv(name) != nullptr) {
      return {};
    }
  }
  return 1;
}

}  // namespace trawl::ranks
