/* All sites of guides in a genome, from C:
 *
 *   cc find_guides.c -o find_guides $(pkg-config --cflags --libs trawl)
 *   ./find_guides genome.fa GACGCATAAAGATGAGACGC 4
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trawl/trawl.h>

static int fail(void) {
  fprintf(stderr, "find_guides: %s\n", trawl_error_text());
  return trawl_error_status() == TRAWL_WRONG_USAGE ? 2 : 1;
}

/* Prints the rows as BED. */
static int print(void* user, const trawl_hit_columns* hits, const char* const* names) {
  *(size_t*)user += hits->rows;
  for (size_t i = 0; i < hits->rows; ++i) {
    printf("%s\t%" PRId64 "\t%" PRId64 "\t%.*s\t%d\t%c\n", names[hits->contig[i]], hits->start[i], hits->end[i],
           (int)(hits->sequence_offset[i + 1] - hits->sequence_offset[i]), hits->sequence + hits->sequence_offset[i],
           hits->distance[i], hits->reverse[i] ? '-' : '+');
  }
  return 1;
}

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: find_guides GENOME.fa GUIDE EDITS\n");
    return 2;
  }
  char edits[64];
  snprintf(edits, sizeof edits, "edits=%.50s", argv[3]);
  const char* options[] = {edits, "pam=NGG", "max-bulges=1"};
  const trawl_text guide = {argv[2], strlen(argv[2])};
  trawl_scanner* scanner = trawl_scanner_new(&guide, 1, options, 3);
  if (scanner == NULL) {
    return fail();
  }
  size_t sites = 0;
  const trawl_status status = trawl_scan_file(scanner, argv[1], print, &sites);
  trawl_scanner_free(scanner);
  if (status != TRAWL_OK) {
    return fail();
  }
  fprintf(stderr, "%zu sites\n", sites);
  return 0;
}
