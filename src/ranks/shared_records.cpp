#include "ranks/shared_records.hpp"

#include <exception>
#include <new>
#include <utility>

#include "base/error.hpp"
#include "base/packer.hpp"
#include "run/record_target.hpp"

namespace trawl::ranks {

namespace {

constexpr unsigned kPlaces = 0;  // the chain of place()
constexpr unsigned kEnds = 1;    // and that of writing

}  // namespace

SharedOutput::SharedOutput(ranks::Cluster& cluster, io::SinkOptions options, const sequence::Reference& reference,
                           const std::vector<std::string>& md5s) {
  options.has_other_hosts = cluster.nodes() > 1;
  std::string path;
  cluster.together([&] {
    if (cluster.is_first()) {
      sink_ = run::make_sink(options, reference, md5s);
      path = sink_->path_for_others();
    }
  });
  cluster.broadcast(path);
  all_write_ = !path.empty();
  if (!cluster.is_first()) {
    options.opened = path;
  }
  const auto make_sink = [&]() -> std::string {
    try {
      sink_ = run::make_sink(options, reference, md5s);
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
    options.opened = "";
    sink_ = run::make_sink(options, reference, md5s);
  }
  if (!cluster.is_alone()) {
    ranges_ = sink_->sort_by_ranges();
  }
}

SharedChunks::SharedChunks(ranks::Cluster& cluster, io::ChunkOutput& output, bool all_write, ranks::Turns& turns,
                           std::string out_of_memory)
    : RecordTarget(output),
      cluster_(cluster),
      all_write_(all_write),
      turns_(turns),
      out_of_memory_(std::move(out_of_memory)) {
  // Nobody would take the first message of a chain that is not used.
  if (cluster_.is_first() && packs()) {
    Packer place;
    output_.get_place(place);
    turns_.begin(kPlaces, place.take());
  }
  if (cluster_.is_first() && waits_to_write()) {
    Packer end;
    if (all_write_) {
      output_.get_end(end);
    }
    turns_.begin(kEnds, end.take());
  }
}

void SharedChunks::place(std::uint64_t number, io::Chunk& chunk) {
  const std::string before = turns_.take(kPlaces, number);
  try {
    Unpacker from(before);
    output_.set_place(from);
    output_.place(chunk);
    Packer after;
    output_.get_place(after);
    turns_.pass(kPlaces, number, after.take());
  } catch (...) {
    say_and_end(std::current_exception());
  }
}

void SharedChunks::write(std::uint64_t number, io::Chunk& chunk) {
  if (waits_to_write()) {  // otherwise pack() has written it
    try {
      write_in_turn(number, chunk);
    } catch (...) {
      say_and_end(std::current_exception());
    }
  }
}

void SharedChunks::write_in_turn(std::uint64_t number, io::Chunk& chunk) {
  const std::string before = turns_.take(kEnds, number);
  if (all_write_) {
    Unpacker from(before);
    output_.set_end(from);
    output_.take_room(chunk);
    Packer after;
    output_.get_end(after);
    turns_.pass(kEnds, number, after.take());
    output_.write_to_room(chunk);
    output_.keep(chunk);
  } else if (cluster_.is_first()) {
    output_.write(chunk);
    turns_.pass(kEnds, number, {});
  } else {
    std::string parcel;
    output_.append_parcel(chunk, parcel);
    turns_.pass_with_parcel(kEnds, number, parcel);
    output_.keep(chunk);
  }
}

void SharedChunks::say_and_end(const std::exception_ptr& failure) {
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

// The error of the first chunk in input order is said: those before it have their places.
void SharedChunks::fail_to_place(std::uint64_t number, const std::exception_ptr& failure) {
  turns_.take(kPlaces, number);
  say_and_end(failure);
}

void SharedChunks::fail(std::uint64_t number, const std::exception_ptr& failure) {
  if (!packs()) {
    turns_.take(kEnds, number);
  }
  say_and_end(failure);
}

void SharedChunks::end(std::uint64_t chunks) {
  turns_.give(chunks, 0);
  if (packs()) {
    const std::string place = turns_.take(kPlaces, chunks);
    Unpacker from(place);
    output_.set_place(from);
  }
  if (waits_to_write()) {
    const std::string end = turns_.take(kEnds, chunks);
    if (all_write_) {
      Unpacker from(end);
      output_.set_end(from);
    }
  }
}

}  // namespace trawl::ranks
