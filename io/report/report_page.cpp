#include "io/report/report_page.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "io/format/json.hpp"
#include "io/write/output_file.hpp"

namespace trawl::io {

namespace {

// In JSON these characters occur only in strings. Escaped, no text of the input can be read as HTML: no "</script>".
std::string escaped(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<' || c == '>' || c == '&') {
      text += c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : "\\u0026";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

void write_report_page(const std::string& json, const std::string& path) {
  OutputFile file(path);
  std::string_view rest = kPageHtml;
  const std::string data = escaped(json);
  for (const auto& [mark, text] : {std::pair<std::string_view, std::string_view>{"{{style}}", kPageStyle},
                                   {"{{data}}", data},
                                   {"{{script}}", kPageScript}}) {
    const std::size_t at = rest.find(mark);
    file.write(rest.substr(0, at));
    file.write(text);
    rest.remove_prefix(at + mark.size());
  }
  file.write(rest);
  file.commit();
}

std::string files_json(const RunFiles& files, int depth) {
  std::string inputs;
  for (const std::string& input : files.inputs) {
    inputs += (inputs.empty() ? "" : ", ") + json_string(input);
  }
  JsonObject json(depth);
  json.add("reference", json_string(files.reference))
      .add("inputs", "[" + inputs + "]")
      .add("output", json_string(files.output));
  return json.text();
}

std::string coverage_json(const std::vector<sequence::Contig>& contigs,
                          const std::vector<std::pair<std::string, ContigBins*>>& series, int depth) {
  const std::vector<std::uint64_t> lengths = lengths_of(contigs);
  std::vector<std::size_t> shown(contigs.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  std::stable_sort(shown.begin(), shown.end(), [&](std::size_t a, std::size_t b) { return lengths[a] > lengths[b]; });
  shown.resize(std::min(shown.size(), kShownContigs));
  std::sort(shown.begin(), shown.end());

  std::uint64_t other_bases = std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
  std::vector<std::uint64_t> other_sums;
  for (const auto& [name, bins] : series) {
    bins->finish(lengths);
    std::uint64_t sum = 0;
    for (std::size_t c = 0; c < contigs.size(); ++c) {
      sum = std::accumulate(bins->of(c).begin(), bins->of(c).end(), sum);
    }
    other_sums.push_back(sum);
  }
  std::string list;
  for (const std::size_t c : shown) {
    other_bases -= lengths[c];
    JsonObject one(depth + 1);
    one.add("name", json_string(contigs[c].name)).add("length", lengths[c]);
    for (std::size_t s = 0; s < series.size(); ++s) {
      const auto& bins = series[s].second->of(c);
      other_sums[s] = std::accumulate(bins.begin(), bins.end(), other_sums[s], std::minus<>());
      one.add(series[s].first, json_array(bins));
    }
    list += (list.empty() ? "" : ", ") + one.text();
  }
  JsonObject others(depth + 1);
  others.add("contigs", contigs.size() - shown.size()).add("length", other_bases);
  for (std::size_t s = 0; s < series.size(); ++s) {
    others.add(series[s].first, other_sums[s]);
  }
  JsonObject json(depth);
  json.add("bin", series.empty() ? 1 : series.front().second->width())
      .add("contigs", "[" + list + "]")
      .add("others", others.text());
  return json.text();
}

}  // namespace trawl::io
