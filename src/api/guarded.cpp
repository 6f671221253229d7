#include "api/guarded.hpp"

#include <pthread.h>

namespace trawl::api {

namespace {

std::atomic<bool> used{false};
std::atomic<bool> forked{false};  // after the use

}  // namespace

void use_threads() {
  [[maybe_unused]] static const int known = pthread_atfork(nullptr, nullptr, [] { forked = forked || used; });
  if (forked) {
    throw Error(
        "this process was forked after Trawl had started its threads, which it does not have; call Trawl only after "
        "the "
        "fork, or start the process anew (Python: multiprocessing.get_context('spawn') or 'forkserver')");
  }
  used = true;
}

}  // namespace trawl::api
