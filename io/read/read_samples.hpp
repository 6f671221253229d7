// The files of a run, and of files of reads the samples: by names before them, or by a sheet.
//
//   const ReadSamples given = read_samples("T0=reads_1.fq,reads_2.fq,T1=reads.fq.gz");
//   given.names == std::vector<std::string>{"T0", "T1"}
//   given.sample_of == std::vector<std::uint32_t>{0, 0, 1}                  // of each of given.files
//   read_samples("reads.fq.gz").names == std::vector<std::string>{"reads"}  // a sample that nobody has named
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trawl::io {

struct ReadSamples {
  std::string given;                     // what they were made of
  std::vector<std::string> files;        // at least one
  std::vector<std::string> mates = {};   // of a sheet with second mates: one for each of `files`
  std::vector<std::uint32_t> sample_of;  // by file
  std::vector<std::string> names;        // of the samples, by their first files
  bool is_named = false;                 // the user has named them

  /// By the number of a file.
  const std::string& name_of(std::uint32_t file) const { return names[sample_of[file]]; }
};

/// `given`: a file; files with commas between them, where `NAME=FILE` begins a sample; `@FILE` for a list of files, one
/// a line, or a sheet: lines of a sample, a tab and its files, perhaps after a header line that begins with `sample`,
/// also that of nf-core (`sample,fastq_1,fastq_2`). A file that exists under a whole text is that file. A name that
/// comes again continues its sample. Without names, the files are one sample with the name of the first one. Throws
/// UsageError, InputError (with the line), IoError.
ReadSamples read_samples(const std::string& given);

}  // namespace trawl::io
