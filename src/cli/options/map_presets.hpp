// `trawl map` and other programs: --for NAME, the options for a purpose or for a program that reads the records; what
// to type in place of options of other mappers.
#pragma once

#include <string>
#include <vector>

#include "cli/options/option.hpp"

namespace trawl::cli {

/// The values of --for.
std::vector<std::string> preset_names();

/// What --for sets: "rsem" is --report all --metric hamming --secondary-seq ... `preset`: may be empty. `paired`:
/// whether the reads are pairs.
std::vector<Setting> preset_settings(const std::string& preset, bool paired);

/// Whether the program of this preset needs the records of a read together. `preset`: may be empty.
bool needs_read_order(const std::string& preset);

/// Options of bowtie, bowtie2, bwa and razers3, and those of former versions: what to type here. They come first in the
/// table, so that the message is about them, and not about the words after them, which would be taken as values or
/// files.
std::vector<Option> options_of_others();

/// For the help text: what each name sets, a line or two each.
std::string presets_text();

}  // namespace trawl::cli
