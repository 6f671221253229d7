// --for NAME: the options of `trawl map` for a purpose, or for a program that reads its records.
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

/// Throws UsageError if records are to be sorted, but the program of this preset needs those of a read together.
/// `preset`: may be empty.
void check_preset(const std::string& preset, bool sort);

/// For the help text: what each name sets, a line or two each.
std::string presets_text();

}  // namespace trawl::cli
