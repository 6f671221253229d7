// Files and pipes for the tests of io/.
#pragma once

#include <htslib/bgzf.h>
#include <stdlib.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>

namespace trawl::test {

/// A directory that is deleted together with its object.
class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "trawl-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("no temporary directory");
    }
    path_ = name;
  }
  ~TempDir() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  std::string path(const std::string& name) const { return path_ + "/" + name; }

  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

  /// `mode`: "wg" for one gzip member, "w" for BGZF.
  std::string write_compressed(const std::string& name, const std::string& content, const char* mode) const {
    BGZF* file = bgzf_open(path(name).c_str(), mode);
    if (file == nullptr || bgzf_write(file, content.data(), content.size()) < 0 || bgzf_close(file) != 0) {
      throw std::runtime_error("cannot compress " + name);
    }
    return path(name);
  }

  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::string path_;
};

inline std::string file_content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// While this object lives, the standard input gives `content`.
class StandardInput {
 public:
  explicit StandardInput(std::string content) : saved_(::dup(STDIN_FILENO)) {
    int ends[2];
    if (::pipe(ends) != 0) {
      throw std::runtime_error("no pipe");
    }
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
    writer_ = std::thread([to = ends[1], content = std::move(content)] {
      for (std::size_t done = 0; done < content.size();) {
        const ssize_t n = ::write(to, content.data() + done, content.size() - done);
        if (n <= 0) {
          break;
        }
        done += static_cast<std::size_t>(n);
      }
      ::close(to);
    });
  }
  ~StandardInput() {
    char rest[4096];
    while (::read(STDIN_FILENO, rest, sizeof rest) > 0) {
    }
    writer_.join();
    ::dup2(saved_, STDIN_FILENO);
    ::close(saved_);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

 private:
  int saved_;
  std::thread writer_;
};

/// The message of what `action` throws; "" if it throws nothing.
template <typename Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace trawl::test
