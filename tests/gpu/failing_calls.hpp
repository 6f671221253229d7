// Makes CUDA calls fail, for tests: the linker puts failing_calls.cu between the program and the CUDA runtime. Calls
// that only free something never fail.
//
//   fail_calls({.after = 7});              // the eighth call fails: memory is missing, or the launch failed
//   fail_calls({.after = 7, .forever = true});  // and all calls after it: the device is lost
//   fail_calls({});                        // none fails
//   counted_calls();                       // since fail_calls()
//
// In a program of its own (target trawl_cuda_faults), TRAWL_CUDA_FAULT says it: 7, or 7+ for forever. When the program
// ends, the number of calls is added to the file TRAWL_CUDA_FAULT_LOG.
#pragma once

namespace trawl::tests {

struct CallsThatFail {
  long after = -1;  // negative: none fails
  bool forever = false;
};

void fail_calls(const CallsThatFail& which);
long counted_calls();

}  // namespace trawl::tests
