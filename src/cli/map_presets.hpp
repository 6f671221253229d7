// --for NAME: the options that a program needs which reads the records of `trawl map`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace trawl::cli {

/// Declares --for, which sets the options of `command` that the user has not given. They must all be declared before.
///   --for rsem   is   --report all --metric hamming --secondary-seq ..., in one table
void declare_presets(CLI::App& command, std::string& preset, const std::string& group);

/// Throws UsageError if records are to be sorted, but the program of this preset needs those of a read together.
/// `preset`: may be empty.
void check_preset(const std::string& preset, bool sort);

/// For the help text: what each name sets, a line or two each.
std::string presets_text();

}  // namespace trawl::cli
