#include "io/write/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"
#include "io/format/file_format.hpp"

namespace trawl::io {
namespace {

// Fixed storage, because a signal handler reads it.
enum SlotState : int { kFree, kBusy, kReady };
struct TemporarySlot {
  std::atomic<int> state{kFree};
  std::array<char, PATH_MAX> path;
};
std::array<TemporarySlot, 1024> slots;
std::atomic<int> commits{0};
static_assert(std::atomic<int>::is_always_lock_free);

std::string system_message(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

// Follows symbolic links, also to a file that does not exist yet.
std::string follow_links(const std::string& path) {
  std::filesystem::path at = path;
  std::error_code error;
  for (int i = 0; i < 40 && std::filesystem::is_symlink(at, error); ++i) {
    const auto next = std::filesystem::read_symlink(at, error);
    if (error) {
      break;
    }
    at = next.is_absolute() ? next : at.parent_path() / next;
  }
  return at.string();
}

}  // namespace

int register_temporary(const std::string& path) {
  std::error_code error;
  const std::string absolute = std::filesystem::absolute(path, error).string();
  if (error || absolute.size() >= PATH_MAX) {
    return -1;
  }
  for (std::size_t i = 0; i < slots.size(); ++i) {
    int expected = kFree;
    if (slots[i].state.compare_exchange_strong(expected, kBusy)) {
      std::memcpy(slots[i].path.data(), absolute.c_str(), absolute.size() + 1);
      slots[i].state.store(kReady);
      return static_cast<int>(i);
    }
  }
  return -1;
}

void forget_temporary(int slot) {
  if (slot >= 0) {
    slots[static_cast<std::size_t>(slot)].state.store(kFree);
  }
}

bool has_committed() noexcept { return commits.load() > 0; }

void remove_temporaries() noexcept {
  for (auto& slot : slots) {
    if (slot.state.load() == kReady) {
      ::unlink(slot.path.data());
    }
  }
}

OutputFile::OutputFile(const std::string& path) : name_(path), target_(path), write_path_(path) {
  if (path.empty() || path == "-") {
    name_ = "standard output";
    target_ = write_path_ = "-";
    descriptor_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (descriptor_ < 0) {
      throw IoError(name_, system_message("cannot write"));
    }
    return;
  }
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    throw IoError(path, "is a directory; name a file in it");
  }
  if (is_stream(path)) {
    descriptor_ = TEMP_FAILURE_RETRY(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (descriptor_ < 0) {
      throw IoError(name_, system_message("cannot write"));
    }
    return;
  }
  target_ = follow_links(path);
  if (!open_nameless()) {
    open_temporary();
  }
  if (exists) {
    ::fchmod(descriptor_, status.st_mode & 0777);
  }
}

// Opens a file without a name. False if the file system or the system cannot do that.
bool OutputFile::open_nameless() {
  const std::string directory = std::filesystem::path(target_).parent_path().string();
  const int descriptor =
      TEMP_FAILURE_RETRY(::open(directory.empty() ? "." : directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666));
  if (descriptor < 0) {
    return false;
  }
  // The only way to the file for name_file(): /proc may be missing.
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  if (::access(path.c_str(), F_OK) != 0) {
    ::close(descriptor);
    return false;
  }
  descriptor_ = descriptor;
  write_path_ = path;
  is_nameless_ = true;
  return true;
}

// Finds a name beside the target for which make(path) succeeds, and registers it. False, with errno set, if none does.
template <class Make>
bool OutputFile::make_temporary(const Make& make) {
  const std::filesystem::path target(target_);
  // Leaves room for the rest of the name: a file name may have at most 255 characters.
  const std::string stem = "." + target.filename().string().substr(0, 200) + "." + std::to_string(::getpid());
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::string suffix = attempt > 0 ? "." + std::to_string(attempt) : "";
    const std::string path = (target.parent_path() / (stem + suffix + ".tmp")).string();
    if (make(path)) {
      write_path_ = path;
      slot_ = register_temporary(path);
      return true;
    }
    if (errno != EEXIST) {
      break;
    }
  }
  return false;
}

// Gives the nameless file its name. A file that is there already can only be replaced by rename(): for this moment
// there is a temporary name.
void OutputFile::name_file() {
  // Closing shows the last errors of writing, but the file must stay open to get its name: a copy is closed.
  const int copy = ::dup(descriptor_);
  if (copy < 0 || ::close(copy) != 0) {
    throw IoError(name_, system_message("cannot write"));
  }
  const std::string open_file = write_path_;
  const auto link = [&](const std::string& path) {
    return ::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  if (link(target_)) {
    write_path_ = target_;
  } else if (errno != EEXIST || !make_temporary(link)) {
    throw IoError(name_, system_message("cannot give the finished file its name"));
  }
  is_nameless_ = false;
}

void OutputFile::open_temporary() {
  const bool made = make_temporary([&](const std::string& path) {
    descriptor_ = TEMP_FAILURE_RETRY(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    return descriptor_ >= 0;
  });
  if (!made) {
    throw IoError(name_, system_message("cannot create a file in its directory"));
  }
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
  if (write_path_ != target_) {
    if (!is_nameless_) {
      ::unlink(write_path_.c_str());
    }
    forget_temporary(slot_);
  }
}

void OutputFile::write(std::string_view bytes) {
  if (!write_all(descriptor_, bytes)) {
    throw IoError(name_, system_message("cannot write"));
  }
}

std::uint64_t OutputFile::take_place(std::size_t size) {
  const off_t end = ::lseek(descriptor_, static_cast<off_t>(size), SEEK_CUR);
  if (end < 0) {
    throw IoError(name_, system_message("cannot write"));
  }
  return static_cast<std::uint64_t>(end) - size;
}

void OutputFile::write_at(std::uint64_t place, std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(place));
    if (n >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
      place += static_cast<std::uint64_t>(n);
    } else if (errno != EINTR) {
      throw IoError(name_, system_message("cannot write"));
    }
  }
}

void OutputFile::remove_old() {
  if (write_path_ != target_ && ::unlink(target_.c_str()) != 0 && errno != ENOENT) {
    throw IoError(name_, system_message("cannot remove the old file"));
  }
}

void OutputFile::commit() {
  if (write_path_ != target_) {
    commits.fetch_add(1);
  }
  if (is_nameless_) {
    name_file();
  }
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0) {
    throw IoError(name_, system_message("cannot write"));
  }
  if (write_path_ != target_) {
    if (::rename(write_path_.c_str(), target_.c_str()) != 0) {
      throw IoError(name_, system_message("cannot rename the finished file"));
    }
    forget_temporary(slot_);
    slot_ = -1;
    write_path_ = target_;
  }
}

}  // namespace trawl::io
