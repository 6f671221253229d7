#include "io/stats/progress.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace trawl::io {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(200);

bool terminal_can_clear() {
  const char* term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && (term == nullptr || std::string_view(term) != "dumb");
}

// Three digits and a unit: 0.25, 999, 1.23 k, 45.6 M.
std::string short_number(double value) {
  constexpr const char* units[] = {"", " k", " M", " G", " T"};
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < std::size(units)) {
    value /= 1000;
    ++unit;
  }
  const bool whole = unit == 0 && value == std::floor(value);
  const int decimals = whole || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  char text[32];
  std::snprintf(text, sizeof text, "%.*f%s", decimals, value, units[unit]);
  return text;
}

std::string short_time(double seconds) {
  const long long s = std::llround(seconds);
  if (s < 60) {
    return std::to_string(s) + " s";
  }
  if (s < 3600) {
    return std::to_string(s / 60) + " min " + std::to_string(s % 60) + " s";
  }
  return std::to_string(s / 3600) + " h " + std::to_string(s / 60 % 60) + " min";
}

// "\r" and "clear to the end of the line", in one write, so that other messages do not come in between.
void draw_line(const std::string& line) {
  const std::string text = "\r" + line + "\x1b[K";
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

std::string progress_line(std::uint64_t done, double seconds, std::uint64_t input_bytes,
                          std::optional<std::uint64_t> total_bytes, const std::string& unit) {
  std::string line = short_number(static_cast<double>(done)) + " " + unit;
  if (seconds > 0) {
    line += ", " + short_number(static_cast<double>(done) / seconds) + " " + unit + "/s";
  }
  if (total_bytes && *total_bytes > 0 && input_bytes <= *total_bytes) {
    const double share = static_cast<double>(input_bytes) / static_cast<double>(*total_bytes);
    line += ", " + std::to_string(static_cast<int>(share * 100)) + "%";
    if (share > 0) {
      line += ", " + short_time(seconds / share - seconds) + " left";
    }
  }
  return line;
}

Progress::Progress(bool enabled, std::optional<std::uint64_t> total_bytes, std::string unit)
    : active_(enabled && terminal_can_clear()), total_bytes_(total_bytes), unit_(std::move(unit)) {}

bool Progress::is_due(Clock::time_point now) {
  if (!active_ || now - last_ < kInterval) {
    return false;
  }
  last_ = now;
  return true;
}

void Progress::draw(const std::string& line) {
  drawn_ = true;
  draw_line(line);
}

void Progress::update(std::uint64_t done, std::uint64_t input_bytes) {
  const auto now = Clock::now();
  if (is_due(now)) {
    const double seconds = std::chrono::duration<double>(now - start_).count();
    draw(progress_line(done, seconds, input_bytes, total_bytes_, unit_));
  }
}

void Progress::show_phase(const std::string& name, double share) {
  if (is_due(Clock::now())) {
    draw(name + ", " + std::to_string(static_cast<int>(share * 100)) + "%");
  }
}

void Progress::finish() {
  if (drawn_) {
    draw_line("");
  }
  drawn_ = false;
  active_ = false;
}

ElapsedTime::ElapsedTime(bool enabled, const std::string& what) {
  if (!enabled || !terminal_can_clear()) {
    return;
  }
  thread_ = std::thread([this, what] {
    const auto start = std::chrono::steady_clock::now();
    bool drawn = false;
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, kInterval, [this] { return has_ended_; })) {
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      draw_line(what + ", " + short_time(seconds.count()));
      drawn = true;
    }
    if (drawn) {
      draw_line("");
    }
  });
}

ElapsedTime::~ElapsedTime() {
  if (thread_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      has_ended_ = true;
    }
    ended_.notify_one();
    thread_.join();
  }
}

}  // namespace trawl::io
