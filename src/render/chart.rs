//! Charts as SVG to be put into a page: bars with intervals, histograms, lines.
//!
//! A chart has no colours of its own but classes (`bar`, `line-0`, `axis`), so that the page's style sheet
//! can have a dark form. It is drawn as wide as the screen of a phone, and grows with the page.

use svg::Document;
use svg::node::element::{Group, Line, Path, Rectangle, Text, Title};

use super::width::display_width;

/// The width of a chart, in units of which a letter takes about seven.
const WIDTH: f64 = 400.0;
/// The height of a histogram or a chart of lines, without its labels.
const HEIGHT: f64 = 150.0;
/// The room on the left for the numbers of a scale.
const LEFT: f64 = 40.0;
/// The room above and below a plot.
const TOP: f64 = 10.0;
const BOTTOM: f64 = 34.0;
/// The height of a bar with its label.
const ROW: f64 = 32.0;
/// The longest label of a bar, in letters.
const LONGEST: usize = 52;

/// A share with its interval.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// What it is.
    pub label: String,
    /// The share, from 0 to 1.
    pub value: f64,
    /// The bounds of the interval, where there is one.
    pub interval: Option<(f64, f64)>,
    /// The share in words.
    pub told: String,
}

/// A line of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// What it shows.
    pub name: String,
    /// From left to right.
    pub points: Vec<(f64, f64)>,
    /// The bounds of an interval at each point, or nothing.
    pub band: Vec<(f64, f64)>,
}

/// Shares from 0 to 1 as horizontal bars, one below the other.
pub fn bars(bars: &[Bar], title: &str) -> String {
    let scale = |value: f64| value.clamp(0.0, 1.0) * (WIDTH - 8.0);
    let height = ROW * bars.len() as f64 + 4.0;
    let mut document = page(height, title);
    for (i, bar) in bars.iter().enumerate() {
        let y = ROW * i as f64;
        let told_width = display_width(&bar.told) as f64 * 6.6;
        let room = ((WIDTH - told_width - 12.0) / 6.4) as usize;
        document = document
            .add(text(0.0, y + 12.0, "start", &short(&bar.label, room.min(LONGEST))))
            .add(text(WIDTH, y + 12.0, "end", &bar.told).set("class", "value"))
            .add(rectangle("track", 0.0, y + 16.0, WIDTH - 8.0, 9.0))
            .add(
                rectangle("bar", 0.0, y + 16.0, scale(bar.value), 9.0)
                    .add(Title::new(format!("{}: {}", bar.label, bar.told))),
            );
        if let Some((low, high)) = bar.interval {
            let (low, high, y) = (scale(low), scale(high), y + 20.5);
            document = document.add(Path::new().set("class", "interval").set(
                "d",
                format!(
                    "M{0} {2}H{1}M{0} {3}V{4}M{1} {3}V{4}",
                    fine(low),
                    fine(high),
                    fine(y),
                    fine(y - 4.0),
                    fine(y + 4.0)
                ),
            ));
        }
    }
    format!("{document}")
}

/// A histogram of whole numbers: how many there are from each number up to the next, which does not count.
pub fn histogram(columns: &[(f64, f64, u64)], title: &str, unit: &str) -> String {
    let Some((first, _, _)) = columns.first() else { return String::new() };
    let last = columns.last().map_or(*first, |(_, to, _)| *to);
    let most = columns.iter().map(|(_, _, count)| *count).max().unwrap_or(0).max(1);
    let x = |value: f64| LEFT + (value - first) / (last - first).max(1e-9) * (WIDTH - LEFT - 8.0);
    let y = |count: f64| TOP + HEIGHT - count / most as f64 * HEIGHT;
    let mut document = page(TOP + HEIGHT + BOTTOM, title);
    let wide = columns.first().map_or(1.0, |(from, to, _)| to - from);
    // a column of a single number has it in the middle
    let place = |value: f64| if wide > 1.0 { x(value) } else { x(value + 0.5) };
    let top = if wide > 1.0 { last } else { last - 1.0 };
    document = document.add(frame((0.0, most as f64), y)).add(across(*first, top, place, unit));
    for (from, to, count) in columns {
        if *count == 0 {
            continue;
        }
        let (left, right, top) = (x(*from), x(*to), y(*count as f64));
        let wide = (right - left - 0.5).max(0.5);
        let column = rectangle("bar", left, top, wide, TOP + HEIGHT - top);
        let told = match to - from {
            wide if wide > 1.0 => format!("{} to {}: {count}", number(*from), number(to - 1.0)),
            _ => format!("{}: {count}", number(*from)),
        };
        document = document.add(column.add(Title::new(told)));
    }
    format!("{document}")
}

/// Lines over a common scale. `range` is the least range of the vertical scale.
pub fn lines(curves: &[Curve], title: &str, unit: &str, range: (f64, f64)) -> String {
    let points = || curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.0));
    let heights = curves.iter().flat_map(|curve| {
        let band = curve.band.iter().flat_map(|(low, high)| [*low, *high]);
        curve.points.iter().map(|point| point.1).chain(band)
    });
    let (low, high) =
        heights.fold(range, |(low, high), height| (height.min(low), height.max(high)));
    let first = points().fold(f64::INFINITY, f64::min);
    let last = points().fold(f64::NEG_INFINITY, f64::max);
    if !first.is_finite() {
        return String::new();
    }
    let x = |value: f64| LEFT + (value - first) / (last - first).max(1e-9) * (WIDTH - LEFT - 12.0);
    let y = |value: f64| TOP + HEIGHT - (value - low) / (high - low).max(1e-9) * HEIGHT;
    let named = curves.len() > 1;
    let legend = if named { 16.0 * curves.len() as f64 } else { 0.0 };
    let mut document = page(TOP + HEIGHT + BOTTOM + legend, title);
    document = document.add(frame((low, high), y)).add(across(first, last, x, unit));
    for (i, curve) in curves.iter().enumerate() {
        let at = |(a, b): (f64, f64)| format!("{} {}", fine(x(a)), fine(y(b)));
        if curve.band.len() == curve.points.len() && !curve.band.is_empty() {
            let ends = curve.points.iter().zip(&curve.band);
            let above = ends.clone().map(|(point, band)| at((point.0, band.1)));
            let below = ends.rev().map(|(point, band)| at((point.0, band.0)));
            let all: Vec<String> = above.chain(below).collect();
            let area = Path::new().set("d", format!("M{}Z", all.join("L")));
            document = document.add(area.set("class", format!("band band-{i}")));
        }
        let all: Vec<String> = curve.points.iter().map(|point| at(*point)).collect();
        let path = Path::new().set("d", format!("M{}", all.join("L")));
        document = document.add(path.set("class", format!("line line-{i}")));
        if named {
            let y = TOP + HEIGHT + BOTTOM + 16.0 * i as f64 + 8.0;
            let key = Path::new().set("d", format!("M{LEFT} {y}h18"));
            document = document.add(key.set("class", format!("line line-{i}"))).add(text(
                LEFT + 24.0,
                y + 4.0,
                "start",
                &curve.name,
            ));
        }
    }
    format!("{document}")
}

fn page(height: f64, title: &str) -> Document {
    Document::new()
        .set("viewBox", format!("0 0 {WIDTH} {}", fine(height)))
        .set("class", "chart")
        .set("role", "img")
        .set("aria-label", title)
}

fn rectangle(class: &str, x: f64, y: f64, width: f64, height: f64) -> Rectangle {
    Rectangle::new()
        .set("class", class)
        .set("x", fine(x))
        .set("y", fine(y))
        .set("width", fine(width))
        .set("height", fine(height))
}

fn text(x: f64, y: f64, anchor: &str, words: &str) -> Text {
    Text::new(words).set("x", fine(x)).set("y", fine(y)).set("text-anchor", anchor)
}

/// The lines of the vertical scale with their numbers.
fn frame((low, high): (f64, f64), y: impl Fn(f64) -> f64) -> Group {
    let mut group = Group::new().set("class", "axis");
    for tick in ticks(low, high, 4, 0.0) {
        let at = y(tick);
        let line = Line::new().set("x1", LEFT).set("x2", WIDTH - 8.0);
        group = group.add(line.set("y1", fine(at)).set("y2", fine(at))).add(text(
            LEFT - 5.0,
            at + 4.0,
            "end",
            &number(tick),
        ));
    }
    group
}

/// The numbers of the horizontal scale, which are whole, and what they count.
fn across(first: f64, last: f64, x: impl Fn(f64) -> f64, unit: &str) -> Group {
    let mut group = Group::new().set("class", "axis");
    for tick in ticks(first, last, 6, 1.0) {
        group = group.add(text(x(tick), TOP + HEIGHT + 14.0, "middle", &number(tick)));
    }
    group.add(text(WIDTH - 8.0, TOP + HEIGHT + 29.0, "end", unit))
}

/// Round numbers between two others: about how many, and how far apart at least.
fn ticks(low: f64, high: f64, wanted: usize, least: f64) -> Vec<f64> {
    let span = (high - low).max(1e-9);
    let rough = span / wanted as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|n| n * power).into_iter().find(|step| *step >= rough);
    let step = step.unwrap_or(rough).max(least);
    let first = (low / step).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|i| i as f64 * step).collect()
}

/// A number with as many digits as it needs.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_string() } else { text.to_string() }
}

/// A coordinate.
fn fine(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), String::from)
}

/// A label, cut where it is too long.
fn short(label: &str, most: usize) -> String {
    if label.chars().count() <= most {
        return label.to_string();
    }
    label.chars().take(most.saturating_sub(1)).collect::<String>() + "…"
}

#[cfg(test)]
mod tests {
    use super::ticks;

    #[test]
    fn scales_have_round_numbers() {
        assert_eq!(ticks(0.0, 10.0, 4, 0.0), [0.0, 5.0, 10.0]);
        assert_eq!(ticks(7.0, 9.0, 6, 1.0), [7.0, 8.0, 9.0]);
        assert_eq!(ticks(0.0, 1.0, 4, 0.0), [0.0, 0.5, 1.0]);
    }
}
