// Which name was meant by a mistyped one.
#pragma once

#include <string>
#include <vector>

namespace trawl::cli {

/// The end of a message about an unknown word: the nearest of `names`, if they are near enough, at most three.
///   did_you_mean("--threds", {"--threads", "--stats"})    // "; did you mean --threads?"
///   did_you_mean("--fish", {"--threads", "--stats"})      // ""
std::string did_you_mean(const std::string& word, const std::vector<std::string>& names);

}  // namespace trawl::cli
