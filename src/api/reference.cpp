#include "api/reference.hpp"

#include <algorithm>
#include <thread>
#include <unordered_set>
#include <utility>

#include "api/guarded.hpp"
#include "base/error.hpp"
#include "io/format/letters.hpp"
#include "sequence/copy_letters.hpp"
#include "sequence/packed_letters.hpp"
#include "session/load_reference.hpp"

namespace trawl::api {

namespace {

std::shared_ptr<Reference::Impl> impl_of(sequence::Reference reference) {
  auto impl = std::make_shared<Reference::Impl>();
  for (const sequence::Contig& contig : reference.contigs()) {
    impl->contigs.push_back({contig.name, static_cast<std::int64_t>(contig.length)});
  }
  impl->reference = std::make_shared<const sequence::Reference>(std::move(reference));
  return impl;
}

void check_contig(std::size_t number, std::string_view name, std::string_view letters) {
  const std::string which = "contig " + std::to_string(number);
  if (name.empty()) {
    throw InputError(which + " has no name; give it one");
  }
  if (const std::size_t at = io::find_not_in_sam_name(name); at < name.size() || name[0] == '*' || name[0] == '=') {
    throw InputError(which + ", '" + std::string(name) + "': the name contains " +
                     io::describe_character(name[at < name.size() ? at : 0]) + ", which SAM does not allow there");
  }
  if (letters.empty()) {
    throw InputError(which + ", " + std::string(name) + ", has no letters; leave it out");
  }
  if (const std::size_t at = io::find_not_iupac(letters); at < letters.size()) {
    throw InputError(which + ", " + std::string(name) + ": letter " + std::to_string(at + 1) + " is " +
                     io::describe_character(letters[at]) + ", which is not an IUPAC letter");
  }
}

}  // namespace

}  // namespace trawl::api

namespace trawl::inline v0 {

std::shared_ptr<const seed::SeedIndex> Reference::Impl::seeds(unsigned threads) const {
  const std::lock_guard lock(mutex);
  if (!seeds_of_cpu) {
    seeds_of_cpu =
        std::make_shared<const seed::SeedIndex>(*reference, seed::SeedIndex::suggest_q(reference->bases()), threads);
  }
  return seeds_of_cpu;
}

std::shared_ptr<const seed::SeedIndex> Reference::Impl::known_seeds() const {
  const std::lock_guard lock(mutex);
  return seeds_of_cpu;
}

Reference::Reference(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Reference::Reference(const std::string& path, unsigned threads) {
  api::guarded([&] {
    api::use_threads();
    session::LoadedReference loaded =
        session::load_reference(path, threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency()));
    auto impl = api::impl_of(std::move(loaded.reference));
    impl->fasta = std::move(loaded.fasta);
    impl->md5s = std::move(loaded.md5s);
    impl->warnings = std::move(loaded.warnings);
    impl->seeds_of_cpu = std::move(loaded.seeds);
    impl_ = std::move(impl);
  });
}

Reference Reference::of(std::span<const std::pair<std::string_view, std::string_view>> contigs) {
  return api::guarded([&] {
    if (contigs.empty()) {
      throw InputError("a reference has at least one contig");
    }
    std::unordered_set<std::string_view> names;
    std::uint64_t bases = 0;
    std::vector<sequence::NamedText> texts;
    for (std::size_t c = 0; c < contigs.size(); ++c) {
      const auto& [name, letters] = contigs[c];
      api::check_contig(c + 1, name, letters);
      if (!names.insert(name).second) {
        throw InputError("contig " + std::to_string(c + 1) + ": the name " + std::string(name) +
                         " is there twice; names must differ");
      }
      texts.push_back({name, letters});
      bases += letters.size();
    }
    if (constexpr std::uint64_t kBasesAThread = std::uint64_t{1} << 24; bases > kBasesAThread) {
      api::use_threads();
    }
    return Reference(api::impl_of(sequence::pack_texts(texts)));
  });
}

const std::vector<Contig>& Reference::contigs() const { return impl_->contigs; }

std::uint64_t Reference::bases() const { return impl_->reference->bases(); }

const std::vector<std::string>& Reference::warnings() const { return impl_->warnings; }

std::string Reference::letters(std::size_t contig, std::int64_t start, std::int64_t end) const {
  if (contig >= impl_->contigs.size()) {
    throw UsageError("there is no contig " + std::to_string(contig) + "; the reference has " +
                     std::to_string(impl_->contigs.size()) + ", counted from 0");
  }
  const std::int64_t length = impl_->contigs[contig].length;
  if (start < 0 || end < start || end > length) {
    throw UsageError("letters " + std::to_string(start) + " to " + std::to_string(end) + " are not in contig " +
                     impl_->contigs[contig].name + ", which has " + std::to_string(length));
  }
  std::string letters(static_cast<std::size_t>(end - start), 'N');
  if (!letters.empty()) {
    sequence::copy_letters(*impl_->reference,
                           impl_->reference->contigs()[contig].offset + static_cast<std::uint64_t>(start),
                           letters.size(), letters.data());
  }
  return letters;
}

}  // namespace trawl::inline v0
