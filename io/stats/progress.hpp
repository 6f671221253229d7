// One line on the terminal that shows the progress.
//
//   Progress progress(true, std::nullopt);           // or the bytes of all files
//   progress.update(8192, 1'000'000);                // after each batch; draws at most 5 times a second
//   progress.finish();                               // clears the line
//   const ElapsedTime waiting(true, "building the index");    // "building the index, 12 s" until its end
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace trawl::io {

class Progress {
 public:
  /// Draws nothing unless `enabled` and the standard error is a terminal.
  Progress(bool enabled, std::optional<std::uint64_t> total_bytes, std::string unit = "reads");
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done`: how many units, for example reads.
  void update(std::uint64_t done, std::uint64_t input_bytes);
  /// The same for a phase after the input was read: "sorting, 42%".
  void show_phase(const std::string& name, double share);
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  bool is_due(Clock::time_point now);
  void draw(const std::string& line);

  bool active_;
  bool drawn_ = false;
  std::optional<std::uint64_t> total_bytes_;
  std::string unit_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

/// The same line for work that does not report its progress: its name, and how long it has taken.
class ElapsedTime {
 public:
  ElapsedTime(bool enabled, const std::string& what);
  ~ElapsedTime();
  ElapsedTime(const ElapsedTime&) = delete;
  ElapsedTime& operator=(const ElapsedTime&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::thread thread_;  // none if nothing is drawn
};

/// "1.2 M reads, 310 k reads/s, 42%, 3 min 10 s left". Without percentage and time left if the size is not known.
std::string progress_line(std::uint64_t done, double seconds, std::uint64_t input_bytes,
                          std::optional<std::uint64_t> total_bytes, const std::string& unit = "reads");

}  // namespace trawl::io
