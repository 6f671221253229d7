#!/usr/bin/env python3
"""All products of primer pairs, by plain dynamic programming, and a check of the table of trawl scan --amplicons.

    amplicons_oracle.py REF.fa PRIMERS.tsv PRODUCTS.tsv METRIC MAX_EDITS THREE_PRIME MIN MAX

Prints how many products there are. It shares no code with trawl, and finds loci, not alignments. With edits, an end of a
product may then be any of the places where an alignment of the locus can begin, so sizes near MIN and MAX are not
certain: such a product may be in the table or not.
"""
import sys

COMPLEMENT = str.maketrans('ACGTN', 'TGCAN')


def reverse_complement(text):
    return text.translate(COMPLEMENT)[::-1]


def distances(pattern, text, metric):
    """By end (exclusive) in the text: the smallest distance of the pattern to a substring that ends there, and the
    substrings' possible begins."""
    m, far = len(pattern), len(pattern) + 1
    if metric == 'hamming':
        return [(sum(a != b or b == 'N' for a, b in zip(pattern, text[end - m:end])), {end - m}) if end >= m
                else (far, set()) for end in range(len(text) + 1)]
    result = []
    column = [(i, {0}) for i in range(m + 1)]
    for end in range(len(text) + 1):
        if end > 0:
            before, column = column, [(0, {end})]
            letter = text[end - 1]
            for i in range(1, m + 1):
                ways = [(before[i - 1][0] + (pattern[i - 1] != letter or letter == 'N'), before[i - 1][1]),
                        (before[i][0] + 1, before[i][1]), (column[i - 1][0] + 1, column[i - 1][1])]
                best = min(way[0] for way in ways)
                column.append((best, set().union(*(way[1] for way in ways if way[0] == best))))
        result.append(column[m])
    return result


def loci(primer, text, metric, most, exact):
    """Runs of places next to each other; with mismatches only, single places: (smallest distance, begins, ends). The last `exact` letters of the primer
    match without an edit."""
    tail = primer[len(primer) - exact:]
    body = distances(primer[:len(primer) - exact], text, metric)
    runs, open_run = [], None
    for end in range(len(text) + 1):
        good = end >= exact and body[end - exact][0] <= most and text[end - exact:end] == tail
        if not good:
            open_run = None
            continue
        distance, begins = body[end - exact]
        if open_run is None or metric == 'hamming':
            open_run = [distance, set(), set()]
            runs.append(open_run)
        if distance < open_run[0]:
            open_run[:] = [distance, set(), set()]
        if distance == open_run[0]:
            open_run[1] |= begins
            open_run[2].add(end)
    return runs


def main():
    ref, primer_file, table, metric, most, exact, smallest, largest = sys.argv[1:]
    most, exact, smallest, largest = int(most), int(exact), int(smallest), int(largest)
    contigs = {}
    for record in open(ref).read().split('>')[1:]:
        name, *lines = record.split('\n')
        contigs[name.split()[0]] = ''.join(lines).upper()
    pairs = [line.rstrip('\n').split('\t')[:3] for line in open(primer_file) if line[0] != '#']
    # Of two equal primers there is one.
    primers = {name: {'forward': forward} | ({'reverse': reverse} if reverse != forward else {})
               for name, forward, reverse in pairs}

    # What there is: all pairs of loci, with the places where the product may begin and end.
    expected = []
    for contig, text in contigs.items():
        turned = reverse_complement(text)
        for pair, both in primers.items():
            lefts = {side: loci(primer, text, metric, most, exact) for side, primer in both.items()}
            rights = {}
            for side, primer in both.items():
                if exact > 0 or metric == 'hamming':
                    rights[side] = [(d, {len(text) - e for e in ends}, {len(text) - b for b in begins})
                                    for d, begins, ends in loci(primer, turned, metric, most, exact)]
                else:  # a locus is a run of ends on the reference
                    rights[side] = loci(reverse_complement(primer), text, metric, most, 0)
            for left_side, left_loci in lefts.items():
                for right_side, right_loci in rights.items():
                    for left in left_loci:
                        for right in right_loci:
                            sizes = [end - begin for begin in left[1] for end in right[2]]
                            inside = [begin <= other and end <= stop for begin in left[1] for other in right[1]
                                      for end in left[2] for stop in right[2]]
                            fits = [smallest <= size <= largest for size in sizes]
                            if any(fits) and any(inside):
                                expected.append({'contig': contig, 'pair': pair, 'left': left_side, 'right': right_side,
                                                 'loci': (left, right), 'certain': all(fits) and all(inside), 'found': 0})

    # What the table says.
    by_key = {}
    for product in expected:
        by_key.setdefault((product['contig'], product['pair'], product['left'], product['right']), []).append(product)
    lines = open(table).read().split('\n')
    names = lines[0].split('\t')
    rows = [dict(zip(names, line.split('\t'))) for line in lines[1:] if line]
    order = [(list(contigs).index(row['contig']), int(row['start']), int(row['end'])) for row in rows]
    assert order == sorted(order), 'the products are not in order'
    for row in rows:
        start, end = int(row['start']), int(row['end'])
        text = contigs[row['contig']]
        assert int(row['size']) == end - start and smallest <= end - start <= largest, row
        strand = '.' if row['left'] == row['right'] else '+' if row['left'] == 'forward' else '-'
        assert row['strand'] == strand, row
        product = text[start:end]
        assert row['sequence'] == (reverse_complement(product) if strand == '-' else product), row
        assert product.startswith(row['left_text']) and reverse_complement(product).startswith(row['right_text']), row
        for side in ('left', 'right'):
            primer, site = primers[row['pair']][row[side]], row[side + '_text']
            assert exact == 0 or site.endswith(primer[-exact:]), row
            assert distances(primer, site, 'levenshtein')[-1][0] <= int(row[side + '_edits']) <= most, row
        matching = [p for p in by_key.get((row['contig'], row['pair'], row['left'], row['right']), [])
                    if start in p['loci'][0][1] and start + len(row['left_text']) in p['loci'][0][2]
                    and end - len(row['right_text']) in p['loci'][1][1] and end in p['loci'][1][2]
                    and int(row['left_edits']) == p['loci'][0][0] and int(row['right_edits']) == p['loci'][1][0]]
        assert len(matching) == 1, (row, len(matching))
        matching[0]['found'] += 1
    for product in expected:
        assert product['found'] == 1 or (product['found'] == 0 and not product['certain']), product
    print(len(rows))


main()
