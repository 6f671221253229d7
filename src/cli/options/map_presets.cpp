#include "cli/options/map_presets.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"

namespace trawl::cli {

namespace {

struct PresetSetting {
  const char* option;
  const char* value;  // "": a flag
  bool of_pairs = false;
};

struct Preset {
  const char* name;
  std::vector<PresetSetting> settings;
  bool needs_read_order = false;  // the records of a read, or of a pair, must follow each other
};

// Aligners of transcripts look for pairs of 1 to 1000 bases: so many as bowtie2 does when RSEM runs it. An estimate
// would need pairs with certain places, but most fit several transcripts of a gene.
constexpr PresetSetting kTranscriptPairs{"--insert", "1-1000", true};

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all{
      {"variants", {{"--sort", ""}, {"--mark-duplicates", ""}}},
      {"sv", {{"--sort", ""}, {"--mark-duplicates", ""}}},
      {"rsem",
       {{"--report", "all"},
        {"--metric", "hamming"},
        {"--secondary-seq", ""},
        kTranscriptPairs,
        {"--discordant", "never", true},
        {"--one-end", "never", true}},
       true},
      {"salmon",
       {{"--report", "all"}, {"--secondary-seq", ""}, kTranscriptPairs, {"--discordant", "never", true}},
       true},
      {"express",
       {{"--report", "all"},
        {"--secondary-seq", ""},
        kTranscriptPairs,
        {"--discordant", "never", true},
        {"--one-end", "never", true}},
       true},
      {"featurecounts", {{"--report", "strata"}}},
      // With --clip, an edit counts 5 in AS. Telescope adds the lengths of the mates to AS, so that an edit which
      // counts 1 would hardly matter (docs/record/clients.md).
      {"telescope", {{"--report", "all"}, {"--clip", "10%"}}, true},
      {"fastcn", {{"--max-edits", "2"}, {"--metric", "hamming"}, {"--report", "all"}, {"--unmapped", "drop"}}},
      {"mrcanavar", {{"--report", "all"}, {"--unmapped", "drop"}}},
  };
  return all;
}

const Preset* preset_named(const std::string& name) {
  const auto found = std::find_if(presets().begin(), presets().end(), [&](const Preset& p) { return p.name == name; });
  return found == presets().end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& known : presets()) {
    names.emplace_back(known.name);
  }
  return names;
}

std::vector<Setting> preset_settings(const std::string& preset, bool paired) {
  std::vector<Setting> settings;
  for (const PresetSetting& setting : preset.empty() ? std::vector<PresetSetting>() : preset_named(preset)->settings) {
    if (paired || !setting.of_pairs) {
      settings.push_back({setting.option, setting.value});
    }
  }
  return settings;
}

void check_preset(const std::string& preset, bool sort) {
  if (sort && !preset.empty() && preset_named(preset)->needs_read_order) {
    throw UsageError("--for " + preset + ": it needs the records of a read together, so leave --sort out");
  }
}

std::string presets_text() {
  std::string text = "What --for sets:\n";
  for (const Preset& preset : presets()) {
    std::string line = "  " + std::string(preset.name);
    line.resize(15, ' ');
    for (const PresetSetting& setting : preset.settings) {
      std::string words = setting.option;
      words += *setting.value == '\0' ? "" : " " + std::string(setting.value);
      words += setting.of_pairs ? " (pairs)" : "";
      if (line.size() + words.size() > 98) {
        text += line + "\n";
        line = std::string(15, ' ');
      }
      line += "  " + words;
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace trawl::cli
