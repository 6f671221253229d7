#include "serve/listen_socket.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/error.hpp"

namespace trawl::serve {

namespace {

constexpr int kWaiting = 1024;  // connections that wait to be accepted

std::string why() { return std::strerror(errno); }

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    throw Error("--socket " + path + ": a socket's path has 1 to " + std::to_string(sizeof address.sun_path - 1) +
                " letters; give a shorter one");
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

// -1, with errno set, if nobody answers.
int try_to_connect(const sockaddr_un& address) {
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor >= 0 && ::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    ::close(descriptor);
    errno = error;
    return -1;
  }
  return descriptor;
}

// Removes what a server that was killed has left.
void remove_stale(const std::string& path, const sockaddr_un& address) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    return;
  }
  if (!S_ISSOCK(status.st_mode)) {
    throw Error("--socket " + path + ": there is a file of this name that is not a socket; give another path");
  }
  if (const int descriptor = try_to_connect(address); descriptor >= 0) {
    ::close(descriptor);
    throw Error("--socket " + path + ": another server answers there; stop it, or give another path");
  }
  if (errno != ECONNREFUSED) {
    throw Error("--socket " + path + ": " + why());
  }
  ::unlink(path.c_str());
}

}  // namespace

ListenSocket ListenSocket::at_path(const std::string& path) {
  const sockaddr_un address = address_of(path);
  remove_stale(path, address);
  ListenSocket made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // Linux gives the path the mode of the socket, so it is never open to others, not even for a moment.
  if (made.descriptor_ < 0 || ::fchmod(made.descriptor_, 0600) != 0 ||
      ::bind(made.descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw Error("--socket " + path + ": " + why());
  }
  std::error_code error;
  made.path_ = std::filesystem::absolute(path, error).string();
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0) {
    made.device_ = status.st_dev;
    made.inode_ = status.st_ino;
  }
  if (::chmod(path.c_str(), 0600) != 0 || ::listen(made.descriptor_, kWaiting) != 0) {
    throw Error("--socket " + path + ": " + why());
  }
  return made;
}

ListenSocket ListenSocket::at_port(std::uint16_t port) {
  ListenSocket made(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int yes = 1;
  socklen_t length = sizeof address;
  if (made.descriptor_ < 0 || ::setsockopt(made.descriptor_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      ::bind(made.descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(made.descriptor_, kWaiting) != 0 ||
      ::getsockname(made.descriptor_, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    throw Error("--port " + std::to_string(port) + ": " + why() + "; --port 0 takes a free one");
  }
  made.port_ = ntohs(address.sin_port);
  return made;
}

ListenSocket::ListenSocket(ListenSocket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      port_(other.port_),
      path_(std::exchange(other.path_, {})),
      device_(other.device_),
      inode_(other.inode_) {}

ListenSocket::~ListenSocket() {
  remove_path();
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

void ListenSocket::remove_path() {
  struct stat status {};
  if (!path_.empty() && ::lstat(path_.c_str(), &status) == 0 && status.st_dev == device_ && status.st_ino == inode_) {
    ::unlink(path_.c_str());
  }
  path_.clear();
}

int connect_to(const std::string& path) {
  const int descriptor = try_to_connect(address_of(path));
  if (descriptor < 0) {
    throw Error(path + ": no server answers there (" + why() + "); start one: trawl serve REF --socket " + path);
  }
  return descriptor;
}

}  // namespace trawl::serve
