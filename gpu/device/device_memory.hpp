// Device memory, streams and events that free themselves. A function waits for the device only if its name says so.
// CUDA itself makes these exceptions: allocating and freeing memory, and copies from or to host memory that is not
// pinned. Only .cu files include this.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "gpu/device/cuda_error.hpp"

namespace trawl::gpu {

class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags"); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  operator cudaStream_t() const { return stream_; }
  void synchronize() const { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

 private:
  cudaStream_t stream_ = nullptr;
};

class CudaEvent {
 public:
  CudaEvent() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~CudaEvent() { cudaEventDestroy(event_); }
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

  operator cudaEvent_t() const { return event_; }
  void record(const Stream& stream) { check(cudaEventRecord(event_, stream), "cudaEventRecord"); }
  /// Waits until the device reaches the event recorded last; returns at once if none was recorded.
  void synchronize() const { check(cudaEventSynchronize(event_), "cudaEventSynchronize"); }

 private:
  cudaEvent_t event_ = nullptr;
};

/// `size` elements of device memory, not initialised.
template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t size) : size_(size) {
    if (size > 0) {
      check(cudaMalloc(reinterpret_cast<void**>(&data_), size * sizeof(T)),
            "cudaMalloc of " + std::to_string(size * sizeof(T)) + " bytes");
    }
  }
  /// A copy of host memory, which must not change until the stream has copied it.
  DeviceBuffer(std::span<const T> host, const Stream& stream) : DeviceBuffer(host.size()) {
    copy_from(host.data(), host.size(), stream);
  }
  ~DeviceBuffer() { cudaFree(data_); }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

  void copy_from(const T* host, std::size_t count, const Stream& stream) { copy_from(host, 0, count, stream); }
  void copy_from(const T* host, std::size_t first, std::size_t count, const Stream& stream) {
    check(cudaMemcpyAsync(data_ + first, host, count * sizeof(T), cudaMemcpyHostToDevice, stream),
          "cudaMemcpyAsync to the device");
  }
  void copy_to(T* host, std::size_t first, std::size_t count, const Stream& stream) const {
    check(cudaMemcpyAsync(host, data_ + first, count * sizeof(T), cudaMemcpyDeviceToHost, stream),
          "cudaMemcpyAsync from the device");
  }
  void clear(const Stream& stream) { fill(0, stream); }
  void fill(unsigned char byte, const Stream& stream) {
    check(cudaMemsetAsync(data_, byte, size_ * sizeof(T), stream), "cudaMemsetAsync");
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// `size` elements of host memory, not initialised. The memory is pinned (it does not move), as asynchronous copies
/// need, and kernels of every device can read and write it.
template <class T>
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  explicit PinnedBuffer(std::size_t size) {
    if (size > 0) {
      check_host_memory(cudaHostAlloc(reinterpret_cast<void**>(&data_), size * sizeof(T),
                                      cudaHostAllocPortable | cudaHostAllocMapped),
                        "cudaHostAlloc of " + std::to_string(size * sizeof(T)) + " bytes");
    }
  }
  ~PinnedBuffer() { cudaFreeHost(data_); }
  PinnedBuffer(PinnedBuffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }

  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

/// Number of multiprocessors of the current device.
inline unsigned multiprocessors() {
  int device = 0, count = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  return static_cast<unsigned>(count);
}

/// The number of blocks of `kernel` that run at the same time on the current device, with `threads` threads and
/// `shared` bytes of dynamic shared memory per block.
inline unsigned resident_blocks(const void* kernel, unsigned threads, std::size_t shared = 0) {
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(threads), shared),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return static_cast<unsigned>(blocks) * multiprocessors();
}

}  // namespace trawl::gpu
