package io.agentworkspace.engine.memory.documents.extract;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The lines of a PDF's page in the order in which people read them: columns of text one after the other, although a
 * file may contain them line by line. Tables, whose cells are short, are read by rows.
 */
final class PdfColumns {
    /** A page with more fragments is a drawing or a table, in which no columns are searched. */
    private static final int MOST = 1_000;

    private static final int MOST_COLUMNS = 4;

    /** The fewest lines of a column. */
    private static final int LINES = 3;

    /**
     * What tells columns of text from a table, whose cells are short: half of the lines have at least so many characters, and
     * either fill their column or have at least so many words.
     */
    private static final int WORDS = 3;

    private static final int CHARACTERS = 15;

    /** The part of a column's width that half of its lines fill. */
    private static final double FILLED = 0.5;

    /** The least width of the space between columns, in points. */
    private static final double SPACE = 3;

    private PdfColumns() {}

    /**
     * A part of a line, without wide spaces in it.
     *
     * @param size of its largest letters, in tenths of a point
     * @param beginsLine whether the file begins a line with it
     */
    record Fragment(String text, int size, double left, double right, double y, boolean beginsLine) {}

    /** Returns the lines, each of one or more fragments. */
    static List<List<Fragment>> lines(List<Fragment> page) {
        var lines = new ArrayList<List<Fragment>>();
        if (page.size() > MOST || !add(page, MOST_COLUMNS, lines)) {
            addAsWritten(page, lines);
        }
        return lines;
    }

    private static void addAsWritten(List<Fragment> fragments, List<List<Fragment>> lines) {
        var isFirst = true;
        for (var fragment : fragments) {
            if (isFirst
                    || fragment.beginsLine()
                    || fragment.y() != lines.getLast().getFirst().y()) {
                lines.add(new ArrayList<>());
            }
            lines.getLast().add(fragment);
            isFirst = false;
        }
    }

    /** Adds the lines of columns; returns false, with nothing added, if there are none. */
    private static boolean add(List<Fragment> fragments, int most, List<List<Fragment>> lines) {
        var border = border(fragments);
        if (most < 2 || border < 0) {
            return false;
        }
        var across = fragments.stream()
                .filter(one -> one.left() < border && one.right() > border)
                .sorted(Comparator.comparingDouble(Fragment::y))
                .toList();
        var from = Double.NEGATIVE_INFINITY;
        for (var one : across) {
            addBetween(fragments, border, from, one.y(), most, lines);
            addAsWritten(List.of(one), lines);
            from = one.y();
        }
        addBetween(fragments, border, from, Double.POSITIVE_INFINITY, most, lines);
        return true;
    }

    private static void addBetween(
            List<Fragment> fragments, double border, double from, double to, int most, List<List<Fragment>> lines) {
        var here = fragments.stream()
                .filter(one -> one.y() > from && one.y() <= to)
                .toList();
        addColumn(here.stream().filter(one -> one.right() <= border).toList(), most, lines);
        addColumn(here.stream().filter(one -> one.left() >= border).toList(), most, lines);
    }

    private static void addColumn(List<Fragment> column, int most, List<List<Fragment>> lines) {
        var sorted = column.stream()
                .sorted(Comparator.comparingDouble(Fragment::y).thenComparing(Fragment::left))
                .toList();
        if (!add(sorted, most - 1, lines)) {
            addAsWritten(
                    sorted.stream()
                            .map(one -> new Fragment(one.text(), one.size(), one.left(), one.right(), one.y(), false))
                            .toList(),
                    lines);
        }
    }

    /** Returns where the second column begins, so that the fewest lines cross it; negative if there are no columns. */
    private static double border(List<Fragment> fragments) {
        var best = -1.0;
        var fewest = Long.MAX_VALUE;
        for (var x : fragments.stream().map(Fragment::left).distinct().toList()) {
            var border = x - SPACE / 2;
            var left = fragments.stream()
                    .filter(one -> one.right() <= border - SPACE / 2)
                    .toList();
            var right = fragments.stream().filter(one -> one.left() >= border).toList();
            var across = (long) fragments.size() - left.size() - right.size();
            if (across < fewest && across * 3 <= left.size() + right.size() && areColumns(left, right, border)) {
                best = border;
                fewest = across;
            }
        }
        return best;
    }

    private static boolean areColumns(List<Fragment> left, List<Fragment> right, double border) {
        if (left.size() < LINES || right.size() < LINES) {
            return false;
        }
        var begin = left.stream().mapToDouble(Fragment::left).min().orElseThrow();
        var end = right.stream().mapToDouble(Fragment::right).max().orElseThrow();
        return isText(left, border - begin) && isText(right, end - border) && areBeside(left, right);
    }

    private static boolean isText(List<Fragment> column, double width) {
        return median(column, one -> one.text().length()) >= CHARACTERS
                && (median(column, one -> one.right() - one.left()) >= FILLED * width
                        || median(column, one -> one.text().split(" ").length) >= WORDS);
    }

    private static double median(List<Fragment> fragments, ToDoubleFunction<Fragment> of) {
        return fragments.stream()
                .mapToDouble(of)
                .sorted()
                .skip(fragments.size() / 2)
                .findFirst()
                .orElse(0);
    }

    private static boolean areBeside(List<Fragment> left, List<Fragment> right) {
        var ofLeft = left.stream().mapToDouble(Fragment::y).summaryStatistics();
        var ofRight = right.stream().mapToDouble(Fragment::y).summaryStatistics();
        var shared = Math.min(ofLeft.getMax(), ofRight.getMax()) - Math.max(ofLeft.getMin(), ofRight.getMin());
        var shorter = Math.min(ofLeft.getMax() - ofLeft.getMin(), ofRight.getMax() - ofRight.getMin());
        return shared >= shorter / 2;
    }
}
