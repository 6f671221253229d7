"""What the notebooks share: where the data is, and a small picture without other packages."""

from pathlib import Path

DATA = next(folder / "test_data" for folder in (Path.cwd(), *Path.cwd().parents) if (folder / "test_data").is_dir())


def bars(values, title, x_label, y_label, labels=None, width=640, height=220):
    """A picture (SVG text) of bars: one for each value, from 0 on."""
    left, top, bottom = 44, 34, 40
    inner, tall = width - left - 10, height - top - bottom
    highest = max(max(values), 1e-9)
    step = inner / len(values)
    shapes = [f'<rect x="{left + i * step:.1f}" y="{top + tall * (1 - value / highest):.1f}" '
              f'width="{max(step * 0.9, 0.5):.1f}" height="{tall * value / highest:.1f}"/>'
              for i, value in enumerate(values) if value > 0]
    texts = [f'<text x="{left}" y="18" font-size="14">{title}</text>',
             f'<text x="{left + inner / 2:.0f}" y="{height - 6}" text-anchor="middle">{x_label}</text>',
             f'<text x="12" y="{top + tall / 2:.0f}" text-anchor="middle" transform="rotate(-90 12 {top + tall / 2:.0f})">{y_label}</text>',
             f'<text x="{left - 4}" y="{top + 8}" text-anchor="end">{highest:g}</text>',
             f'<text x="{left - 4}" y="{top + tall}" text-anchor="end">0</text>']
    for place, label in (labels or {}).items():
        texts.append(f'<text x="{left + (place + 0.45) * step:.1f}" y="{top + tall + 14}" text-anchor="middle">{label}</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">\n'
            f'<rect width="{width}" height="{height}" fill="#fff"/>\n<g fill="#2a6f97">\n' + "\n".join(shapes) + "\n</g>\n"
            + "\n".join(texts) + "\n</svg>\n")
