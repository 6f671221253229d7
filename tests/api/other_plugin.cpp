// A module that could be the CUDA engine of another build: its mark is another one.
extern "C" __attribute__((visibility("default"))) const void* trawl_cuda_plugin() {
  struct Plugin {
    char version[32] = "0.1.0";
    char headers[32] = "0123456789abcdef";
    void (*entry)() = nullptr;
  };
  static const Plugin plugin;
  return &plugin;
}
