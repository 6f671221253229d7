#include "session/load_reference.hpp"

#include <utility>

#include "base/error.hpp"
#include "io/index/saved_index.hpp"
#include "io/read/circular_contigs.hpp"
#include "io/read/gzip/input_file.hpp"
#include "io/read/two_bit_contigs.hpp"

namespace trawl::session {

namespace {

// That a saved index was made for what is asked for now.
void check_circular(const std::string& path, const sequence::Reference& reference,
                    const CircularContigsRule& circular) {
  const auto& contigs = reference.searched().contigs();
  const auto is_repeated = [](const sequence::Contig& contig) { return contig.topology.repeated > 0; };
  if (circular.use == CircularUse::none) {
    if (const auto first = std::find_if(contigs.begin(), contigs.end(), is_repeated); first != contigs.end()) {
      throw InputError(path, 0,
                       "was made for reads over the origin of " + first->name +
                           ", which is possible in trawl map, scan and primers only; give the FASTA");
    }
  }
  for (const std::string& name : circular.use == CircularUse::repeated ? circular.names : std::vector<std::string>{}) {
    const auto named = std::find_if(contigs.begin(), contigs.end(), [&](const auto& c) { return c.name == name; });
    if (named == contigs.end()) {
      io::fail_without_contig(name);
    }
    if (!is_repeated(*named)) {
      throw InputError(path, 0,
                       "was made without --circular " + name +
                           "; give the FASTA, or make the index again: trawl index " + "--circular " + name + " FASTA");
    }
  }
}

// Whether the files of a list have reads. A pipe is not opened for this, as it can be read only once.
bool are_reads(const io::ReadSamples& list, AsReads reads) {
  if (reads != AsReads::fastq || list.is_named || !io::file_size(list.files.front())) {
    return reads == AsReads::all || (reads == AsReads::fastq && list.is_named);
  }
  io::InputFile file(list.files.front());
  return io::is_alignments(file) || io::first_letter(file) == '@';
}

}  // namespace

LoadedReference load_reference(const std::string& path, unsigned threads, const CircularContigsRule& circular,
                               bool renames_contigs) {
  LoadedReference loaded;
  if (io::is_list_of_files(path) || !io::is_saved_index(path)) {
    loaded.fasta = path;
    const io::TextOptions reading{.threads = threads, .renames_contigs = renames_contigs};
    const auto files = io::is_list_of_files(path) ? std::make_shared<io::ContigFiles>() : nullptr;
    loaded.files = files;
    loaded.reference =
        circular.use == CircularUse::repeated
            ? io::read_circular(path, circular.names, repeated_for_reads, &loaded.warnings, reading, files)
            : io::read_reference(path, &loaded.warnings, reading);
    return loaded;
  }
  io::SavedIndex index = io::open_saved_index(path);
  check_circular(path, index.reference, circular);
  if (std::string warning = io::compare_with_fasta(path, index.fasta); !warning.empty()) {
    loaded.warnings.push_back(std::move(warning));
  }
  loaded.fasta = std::move(index.fasta.path);
  loaded.reference = std::move(index.reference);
  loaded.md5s = std::move(index.md5s);
  loaded.seeds = std::move(index.seeds);
  return loaded;
}

ReferenceStream open_reference(const io::ReadSamples& input, unsigned threads, AsReads reads, bool names_may_repeat,
                               bool renames_contigs) {
  const io::TextOptions reading{.threads = threads, .renames_contigs = renames_contigs};
  const std::string& path = input.files.front();
  const bool is_list = input.is_named || path != input.given;
  const auto files = is_list ? std::make_shared<io::ContigFiles>() : nullptr;
  if (is_list && are_reads(input, reads)) {
    ReferenceStream stream = open_reads({.reads = input.files}, input.given, threads);
    stream.files = files;
    return stream;
  }
  if (is_list) {
    ReferenceStream stream{nullptr, 0, input.given, {}};
    stream.files = files;
    stream.contigs = io::open_contigs(input.files, reading, files, names_may_repeat);
    for (const std::string& one : input.files) {
      *stream.bytes += io::file_size(one).value_or(0);
    }
    return stream;
  }
  if (io::is_two_bit(path)) {
    return {io::open_contigs({path}, reading), io::file_size(path), path, {}};
  }
  if (io::is_saved_index(path)) {
    LoadedReference loaded = load_reference(path, threads, {CircularUse::letters});
    ReferenceStream stream =
        stream_of(std::make_shared<sequence::Reference>(std::move(loaded.reference)), std::move(loaded.fasta));
    stream.warnings = std::move(loaded.warnings);
    return stream;
  }
  auto file = std::make_unique<io::InputFile>(path);
  const bool is_bam = reads != AsReads::none && io::is_alignments(*file);
  if (reads == AsReads::all || is_bam || (reads == AsReads::fastq && io::first_letter(*file) == '@')) {
    return open_reads({.reads = {path}}, path, threads, std::move(file));
  }
  ReferenceStream stream{nullptr, io::file_size(path), path, {}};
  stream.contigs = std::make_unique<io::FastaStream>(std::move(file), reading);
  return stream;
}

ReferenceStream open_reads(io::ReadInput::Files files, const std::string& name, unsigned threads,
                           std::unique_ptr<io::InputFile> opened) {
  files.comments = {.tags = "all", .whole = true, .own = ""};
  files.alignments_have_pairs = files.interleaved;
  ReferenceStream stream{nullptr, std::nullopt, name, {}};
  stream.reads = std::make_unique<io::ReadInput>(files, threads);
  if (opened) {
    stream.reads->use_open(std::move(opened));
  }
  if (files.mates.empty()) {
    stream.reads->open();
    stream.read_headers = stream.reads->headers();
  }
  stream.bytes = stream.reads->total_bytes();
  return stream;
}

ReferenceStream stream_of(std::shared_ptr<const sequence::Reference> reference, std::string fasta) {
  const std::uint64_t bases = reference->bases();
  return {io::contigs_of(std::move(reference)), bases, std::move(fasta), {}};
}

std::string fasta_file(const std::string& path) {
  if (path == "-" || io::is_list_of_files(path) || !io::is_saved_index(path)) {
    return path;
  }
  const io::SavedIndex index = io::open_saved_index(path);
  return io::find_fasta(path, index.fasta).value_or(index.fasta.path);
}

}  // namespace trawl::session
