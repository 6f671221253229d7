#include "cli/map_presets.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "cli/validators.hpp"

namespace trawl::cli {

namespace {

struct Setting {
  const char* option;
  const char* value;  // "": a flag
  bool of_pairs = false;
};

struct Preset {
  const char* name;
  std::vector<Setting> settings;
  bool needs_read_order = false;  // the records of a read, or of a pair, must follow each other
};

// Aligners of transcripts look for pairs of 1 to 1000 bases: so many as bowtie2 does when RSEM runs it. An estimate
// would need pairs with certain places, but most fit several transcripts of a gene.
constexpr Setting kTranscriptPairs{"--insert", "1-1000", true};

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all{
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

void apply(CLI::App& command, const Preset& preset) {
  const bool paired = command.get_option("MATES")->count() > 0 || command.get_option("--interleaved")->count() > 0;
  for (const Setting& setting : preset.settings) {
    CLI::Option* const option = command.get_option(setting.option);
    if (option->count() == 0 && (paired || !setting.of_pairs)) {
      option->add_result(*setting.value == '\0' ? "true" : setting.value);
      option->run_callback();
    }
  }
}

}  // namespace

void declare_presets(CLI::App& command, std::string& preset, const std::string& group) {
  std::vector<std::string> names;
  std::string type;
  for (const Preset& known : presets()) {
    names.emplace_back(known.name);
    type += (type.empty() ? "" : "|") + names.back();
  }
  // CLI11 runs the callbacks in the order of the declarations, so all other options are known by then.
  command
      .add_option_function<std::string>(
          "--for",
          [&command, &preset](const std::string& name) {
            preset = name;
            apply(command, *preset_named(name));
          },
          "The options that a program needs which reads the records: see below; options that you give yourself win")
      ->check(CLI::IsMember(names))
      ->type_name(type)
      ->group(group);
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
    for (const Setting& setting : preset.settings) {
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
