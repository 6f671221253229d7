#include "cli/options/map_presets.hpp"

#include <algorithm>
#include <utility>

#include "cli/options/shared_options.hpp"

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

// Aligners of transcripts look for pairs of 1 to 1000 bases, as bowtie2 does when RSEM runs it. An estimate would need
// pairs with certain places, but most fit several transcripts of a gene.
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
      // What bowtie 1 -v 1 -a --best --strata reports.
      {"smallrna",
       {{"--max-edits", "1"},
        {"--metric", "hamming"},
        {"--report", "strata"},
        {"--min-length", "15"},
        {"--collapsed", ""}}},
      // What razers3 -i 97 -m 99999 --distance-range 0 reports, which OptiType runs.
      {"hla", {{"--max-edits", "3%"}, {"--report", "strata"}, {"--unmapped", "drop"}}, true},
      {"fastcn", {{"--max-edits", "2"}, {"--metric", "hamming"}, {"--report", "all"}, {"--unmapped", "drop"}}},
      // As bwa aln -n 0.01 -o 2 -l 16500, for merged mates.
      {"adna", {{"--max-edits", "bwa:0.01"}, {"--end-to-end", ""}, {"--damage", "auto"}}},
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

bool needs_read_order(const std::string& preset) { return !preset.empty() && preset_named(preset)->needs_read_order; }

std::vector<Option> options_of_others() {
  const std::string reads = "there is no such option; reads are a word after the reference: trawl map REF READS";
  const std::string pairs =
      "there is no such option; give pairs as two files, trawl map REF R1 R2, or as one file with --interleaved";
  const std::string inserts =
      "there is no such option; insert sizes are --insert MIN-MAX, or measured without it; bwa aln's -I is --phred64";
  const std::string mates =
      "there is no such option; how mates lie is --orientation fr, rf or ff, and fr is the default";
  const std::string all =
      "there is no such option; every place of a read: --report all; all of the best ones: --report strata";
  const std::string complete = "there is no such option; every place with up to -e edits is found anyway";
  const std::string edits =
      "there is no such option; bwa aln's -n 0.04 is -e bwa:0.04; bowtie's or bwa aln's -n N is -e N";
  const std::string identity = "there is no such option; razers3's -i 97 is -e 3% here";
  const std::string range = "there is no such option; razers3's -dr N is --report strata --strata N here";
  const std::string purged =
      "there is no such option; razers3's -m N -dr 0 -pa is --report strata --max-loci N here, its -m N is -k N";
  const std::string no_gaps = "there is no such option; mismatches without gaps: --metric hamming";
  const std::string format =
      "there is no such option; FASTQ and FASTA are known by their contents, and bad ends are left out by default";
  const std::string threads = "there is no such option; threads are -t N; bwa mem's -p is --interleaved --singles";
  const std::string trimmed =
      "there is no such option; cutadapt -u N or -u -N trims reads; bad ends are left out by "
      "default, without --end-to-end";
  const std::string of_mrfast = "workflows/divet_oea.py makes this file from the records: docs/pairs.md";
  std::vector<Option> table;
  for (const auto& [name, instead] : std::vector<std::pair<const char*, std::string>>{
           {"-v",
            "there is no such option; bowtie's -v N is -e N --metric hamming here, its -a is --report all, and its -a "
            "--best --strata is --report strata"},
           {"-m",
            "there is no such option; bowtie's -m N is --report all --max-loci N here, and its -m N --best --strata is "
            "--report strata --max-loci N"},
           {"-a", all},
           {"--all", all},
           {"--best", "one of the best places of each read is the default; all of the best ones: --report strata"},
           {"-1", pairs},
           {"-2", pairs},
           {"-U", reads},
           {"-x",
            "there is no such option; the reference is the first word, a FASTA or a file of trawl index: trawl map REF "
            "READS"},
           {"-S", "there is no such option; the output is -o FILE.bam"},
           {"-p", threads},
           {"-tc", threads},
           {"--thread-count", threads},
           {"-n", edits},
           {"-l", "there is no such option; there are no seeds whose length matters, so leave it out"},
           {"-i", identity},
           {"--percent-identity", identity},
           {"-dr", range},
           {"--distance-range", range},
           {"-pa", purged},
           {"--purge-ambiguous", purged},
           {"-ng", no_gaps},
           {"--no-gaps", no_gaps},
           {"-rr", complete},
           {"--recognition-rate", complete},
           {"-y", complete},
           {"--tryhard", complete},
           {"-N", all},
           {"-M",
            "there is no such option; by default a read with several best places gets one of them, with MAPQ 0; "
            "bowtie's -M N is --report strata --max-loci N,one"},
           {"--phred64-quals", "there is no such option; it is --phred64 here"},
           {"--un-conc", "there is no such option; it is --unmapped FILE_%.fq.gz here, and % stands for the mate"},
           {"--un", "there is no such option; reads that fit nowhere, as they came: --unmapped FILE.fq.gz"},
           {"--al", "there is no such option; reads that fit, as they came: --mapped FILE.fq.gz"},
           {"--max",
            "there is no such option; with --max-loci N such reads are unmapped records with tag XM: samtools view -d "
            "XM"},
           {"-q", format},
           {"-f", format},
           {"--sam", "there is no such option; SAM is the default, and -o FILE.bam writes BAM"},
           {"-5", trimmed},
           {"--trim5", trimmed},
           {"-3", trimmed},
           {"--trim3", trimmed},
           {"-X", inserts},
           {"--maxins", inserts},
           {"-I", inserts},
           {"--minins", inserts},
           {"--fr", mates},
           {"--rf", mates},
           {"--ff", mates},
           {"--local", "ends that do not belong are left out by default; --end-to-end keeps all bases"},
           {"--very-sensitive", complete},
           {"--no-unal", "there is no such option; --unmapped drop leaves out reads that are not mapped"},
           {"--norc", "there is no such option; reads on the forward strand: --strand +"},
           {"--nofw", "there is no such option; reads on the reverse strand: --strand -"},
           {"--divet", of_mrfast},
           {"--oea", of_mrfast}}) {
    table.push_back({.names = name, .instead = instead});
  }
  table.push_back(former_max_ambiguous());
  return table;
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
