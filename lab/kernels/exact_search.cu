#include "lab/kernels/device_search.hpp"

namespace trawl::gpu {

namespace {

std::size_t attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return static_cast<std::size_t>(value);
}

class ExactSearch : public DeviceSearch {
 public:
  ExactSearch(const ExactKernels& kernels, const void* table, std::size_t table_bytes, std::size_t m,
              const GpuWork& work)
      : kernels_(kernels),
        work_(work),
        table_bytes_(table_bytes),
        m_(m),
        vectors_((table_bytes + sizeof(uint4) - 1) / sizeof(uint4)),
        device_(exact_device()),
        table_(vectors_) {
    // The plan needs a size, but neither the kernel nor the memory depends on it.
    plan({nullptr, 1, 0});
    copy_table(table, table_bytes, plan_.memory == TableMemory::constant ? kernels.constant_table : table_.data());
  }

  GpuWork chosen(std::uint64_t size) override {
    plan({nullptr, size, 0});
    return {plan_.memory, plan_.stretch, plan_.threads, plan_.blocks};
  }

  void reserve(const SearchedText& text, DeviceEnds::State& ends) override {
    plan(text);
    if (ends.output == Output::list) {
      ends.groups.reserve(tiles(text).groups());
    }
  }

  void enqueue(const SearchedText& text, DeviceEnds::State& ends, const Stream& stream) override {
    reserve(text, ends);
    if (ends.output == Output::list) {
      ends.groups.clear(tiles(text).groups(), stream);
    }
    SearchedText text_argument = text;
    const void* table = table_.data();
    auto vectors = static_cast<std::uint32_t>(vectors_);
    auto m = static_cast<std::uint32_t>(m_);
    EndsView out = ends.view();
    void* arguments[] = {&text_argument, &table, &vectors, &m, &plan_, &out};
    check(cudaLaunchKernel(kernel(plan_.memory), dim3(plan_.blocks), dim3(plan_.threads), arguments, plan_.shared,
                           stream),
          "launch of exact_kernel");
    if (ends.output == Output::list) {
      ends.groups.make_list(tiles(text), out, stream);
    }
  }

 private:
  const void* kernel(TableMemory memory) const {
    return memory == TableMemory::constant ? kernels_.constant
           : memory == TableMemory::shared ? kernels_.shared
                                           : kernels_.global;
  }

  EndTiles tiles(const SearchedText& text) const {
    return {text.first, plan_.tiles, plan_.tile_ends(), plan_.groups_per_tile};
  }

  // The plan for this text, in plan_.
  void plan(const SearchedText& text) {
    if (text.size == planned_.size && text.first == planned_.first) {
      return;
    }
    plan_ = plan_exact(device_, {table_bytes_, m_, text.first, text.size}, work_,
                       [&](TableMemory memory, unsigned threads, std::size_t shared) {
                         return resident_on_one(device_, kernel(memory), threads, shared);
                       });
    planned_ = text;
  }

  ExactKernels kernels_;
  GpuWork work_;
  std::size_t table_bytes_;
  std::size_t m_;
  std::size_t vectors_;
  ExactDevice device_;
  DeviceBuffer<uint4> table_;
  ExactPlan plan_{};
  SearchedText planned_{};
};

}  // namespace

ExactDevice exact_device() {
  return {multiprocessors(), attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin),
          attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor), attribute(cudaDevAttrReservedSharedMemoryPerBlock)};
}

unsigned resident_on_one(const ExactDevice& device, const void* kernel, unsigned threads, std::size_t shared) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(device.shared_per_block)),
        "cudaFuncSetAttribute");
  return resident_blocks(kernel, threads, shared) / device.multiprocessors;
}

std::unique_ptr<DeviceSearch> exact_search(const ExactKernels& kernels, const void* table, std::size_t table_bytes,
                                           std::size_t m, const GpuWork& work) {
  return std::make_unique<ExactSearch>(kernels, table, table_bytes, m, work);
}

}  // namespace trawl::gpu
