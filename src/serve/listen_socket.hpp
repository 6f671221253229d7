// The sockets that a server listens on: one with a path, or a port of 127.0.0.1. Never another address.
//
//   const ListenSocket socket = ListenSocket::at_path("trawl.sock");     // mode 0600
//   const ListenSocket port = ListenSocket::at_port(0);                  // port.port(): a free one
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace trawl::serve {

class ListenSocket {
 public:
  /// Replaces a socket that nobody listens on. Throws Error if somebody does, or if the path cannot be used.
  static ListenSocket at_path(const std::string& path);
  /// Throws Error if the port is in use.
  static ListenSocket at_port(std::uint16_t port);

  /// Closes the socket and removes its path, unless another server has replaced it.
  ~ListenSocket();
  ListenSocket(ListenSocket&& other) noexcept;
  ListenSocket& operator=(ListenSocket&&) = delete;
  ListenSocket(const ListenSocket&) = delete;

  int descriptor() const { return descriptor_; }
  /// 0 for a path.
  std::uint16_t port() const { return port_; }
  void remove_path();

 private:
  explicit ListenSocket(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
  std::uint16_t port_ = 0;
  std::string path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

/// A socket that is connected to the server at a path. Throws Error.
int connect_to(const std::string& path);

}  // namespace trawl::serve
