#include "cli/shared_records.hpp"

#include <exception>
#include <new>
#include <utility>

#include "base/error.hpp"
#include "base/packer.hpp"

namespace trawl::cli {

namespace {

constexpr unsigned kPlaces = 0;  // the chain of place()
constexpr unsigned kEnds = 1;    // and that of writing

}  // namespace

SharedOutput::SharedOutput(cluster::Cluster& cluster, io::SinkOptions options, const sequence::Reference& reference,
                           const std::vector<std::string>& md5s) {
  options.has_other_hosts = cluster.nodes() > 1;
  Packer paths;
  cluster.together([&] {
    if (cluster.is_first()) {
      sink_ = io::make_sink(options, reference, md5s);
      for (const std::string& path : sink_->paths_for_others()) {
        paths.text(path);
      }
    }
  });
  std::string bytes = paths.take();
  cluster.broadcast(bytes);
  all_write_ = !bytes.empty();
  if (!cluster.is_first()) {
    std::vector<std::string>& opened = options.opened.emplace();
    for (Unpacker from(bytes); !from.at_end();) {
      opened.emplace_back(from.text());
    }
  }
  const auto make_sink = [&]() -> std::string {
    try {
      sink_ = io::make_sink(options, reference, md5s);
      return "";
    } catch (const IoError& error) {
      return cluster.name() + ": " + error.what();
    }
  };
  if (all_write_) {
    for (const std::string& error : cluster.gather_everywhere(cluster.is_first() ? "" : make_sink())) {
      if (!error.empty()) {
        all_write_ = false;
        warning_ = error;
      }
    }
  }
  if (!all_write_ && cluster.is_first()) {
    sink_->write_in_order_only();
  } else if (!all_write_) {
    options.opened->assign(3, "");
    sink_ = io::make_sink(options, reference, md5s);
  }
}

SharedRecords::SharedRecords(cluster::Cluster& cluster, SharedOutput& output, cluster::Turns& turns,
                             std::string out_of_memory)
    : cluster_(cluster),
      sink_(output.sink()),
      all_write_(output.all_write()),
      turns_(turns),
      out_of_memory_(std::move(out_of_memory)) {
  if (cluster_.is_first()) {
    Packer place;
    sink_.get_place(place);
    turns_.begin(kPlaces, place.take());
    Packer end;
    if (all_write_) {
      sink_.get_end(end);
    }
    turns_.begin(kEnds, end.take());
  }
}

void SharedRecords::place(std::uint64_t number, io::Chunk& chunk) {
  const std::string before = turns_.take(kPlaces, number);
  try {
    Unpacker from(before);
    sink_.set_place(from);
    sink_.place(chunk);
    Packer after;
    sink_.get_place(after);
    turns_.pass(kPlaces, number, after.take());
  } catch (...) {
    say_and_end(std::current_exception());
  }
}

void SharedRecords::write(std::uint64_t number, io::Chunk& chunk) {
  if (waits_to_write()) {  // otherwise pack() has written it
    try {
      write_in_turn(number, chunk);
    } catch (...) {
      say_and_end(std::current_exception());
    }
  }
}

void SharedRecords::write_in_turn(std::uint64_t number, io::Chunk& chunk) {
  const std::string before = turns_.take(kEnds, number);
  if (all_write_) {
    Unpacker from(before);
    sink_.set_end(from);
    sink_.take_room(chunk);
    Packer after;
    sink_.get_end(after);
    turns_.pass(kEnds, number, after.take());
    sink_.write_to_room(chunk);
  } else if (cluster_.is_first()) {
    sink_.write(chunk);
    turns_.pass(kEnds, number, {});
  } else {
    std::string parcel;
    sink_.append_parcel(chunk, parcel);
    turns_.pass_with_parcel(kEnds, number, parcel);
  }
}

void SharedRecords::say_and_end(const std::exception_ptr& failure) {
  std::string message;
  try {
    std::rethrow_exception(failure);
  } catch (const InputError& error) {
    message = error.what();  // whichever rank has found it
  } catch (const std::bad_alloc&) {
    message = cluster_.name() + ": " + out_of_memory_;
  } catch (const std::exception& error) {
    message = cluster_.name() + ": " + error.what();
  }
  turns_.fail(message);
}

// The error of the first batch in input order is said: those before it have their places.
void SharedRecords::fail_to_place(std::uint64_t number, const std::exception_ptr& failure) {
  turns_.take(kPlaces, number);
  say_and_end(failure);
}

void SharedRecords::fail(std::uint64_t number, const std::exception_ptr& failure) {
  if (!packs()) {
    turns_.take(kEnds, number);
  }
  say_and_end(failure);
}

void SharedRecords::end(std::uint64_t batches) {
  turns_.give(batches, 0);
  if (packs()) {
    const std::string place = turns_.take(kPlaces, batches);
    Unpacker from(place);
    sink_.set_place(from);
  }
  if (waits_to_write()) {
    const std::string end = turns_.take(kEnds, batches);
    if (all_write_) {
      Unpacker from(end);
      sink_.set_end(from);
    }
  }
}

}  // namespace trawl::cli
