package io.agentworkspace.engine.memory.documents.extract.office;

import io.agentworkspace.engine.memory.documents.extract.ZipPackage;
import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.poi.ss.usermodel.BuiltinFormats;
import org.apache.poi.ss.usermodel.DataFormatter;
import org.apache.poi.ss.usermodel.DateUtil;

/** The formats of a workbook's numbers. Dates are shown as in ISO 8601, other numbers as the program shows them. */
final class CellFormats {
    private static final String GENERAL = "General";
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("uuuu-MM-dd", Locale.ROOT);
    private static final DateTimeFormatter MINUTES = DateTimeFormatter.ofPattern("HH:mm", Locale.ROOT);
    private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final int LONGEST = 255;

    /** A duration, which may be longer than a day. */
    private static final Pattern ELAPSED = Pattern.compile("\\[(?:h+|m+|s+)]", Pattern.CASE_INSENSITIVE);

    /** From here the General format leaves out digits, such as those of an EAN. */
    private static final double SHORTENED = 1e11;

    /** Up to here a number is written with all its digits. */
    private static final double MOST = 1e21;

    private final Map<Integer, String> own = new HashMap<>();
    private final List<Integer> styles = new ArrayList<>();
    private final DataFormatter formatter = new DataFormatter(Locale.ROOT);
    private final boolean since1904;

    private CellFormats(boolean since1904) {
        this.since1904 = since1904;
    }

    static CellFormats of(Relations relations, boolean since1904) {
        var formats = new CellFormats(since1904);
        var isCells = new boolean[1];
        relations.readOptional("styles", "xl/styles.xml", (element, reader) -> {
            switch (element) {
                case "numFmt" ->
                    formats.own.putIfAbsent( // The later ones are of conditional formats.
                            number(ZipPackage.attribute(reader, "numFmtId")),
                            ZipPackage.attribute(reader, "formatCode"));
                case "cellStyleXfs", "cellXfs", "cellStyles", "dxfs" -> isCells[0] = element.equals("cellXfs");
                case "xf" -> {
                    if (isCells[0]) {
                        formats.styles.add(number(ZipPackage.attribute(reader, "numFmtId")));
                    }
                }
                default -> {}
            }
        });
        return formats;
    }

    private static int number(String text) {
        return text.matches("\\d{1,6}") ? Integer.parseInt(text) : 0;
    }

    /** Returns a number as text in the format of a style. */
    String shown(String value, String style) {
        double number;
        try {
            number = Double.parseDouble(value);
        } catch (NumberFormatException e) {
            return value;
        }
        var index = number(style) < styles.size() ? styles.get(number(style)) : 0;
        var format = own.getOrDefault(index, builtin(index));
        if (format.length() > LONGEST) {
            return value;
        }
        if (DateUtil.isADateFormat(index, format)) {
            if (!DateUtil.isValidExcelDate(number)) {
                return value;
            } else if (!ELAPSED.matcher(format).find()) {
                return date(number, format.toLowerCase(Locale.ROOT));
            }
        }
        if (isGeneral(format) && Math.abs(number) >= SHORTENED && Math.abs(number) < MOST) {
            return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
        }
        return formatter.formatRawCellContents(number, index, format, since1904).strip();
    }

    private static boolean isGeneral(String format) {
        return format.equalsIgnoreCase(GENERAL) || format.equals("@");
    }

    private static String builtin(int index) {
        var format = BuiltinFormats.getBuiltinFormat(index);
        return format == null ? GENERAL : format;
    }

    private String date(double number, String format) {
        var time = DateUtil.getLocalDateTime(number, since1904, true);
        var plain = format.replaceAll("\"[^\"]*\"|\\\\.|\\[[^\\]]*]", "");
        var hasDate = plain.contains("y") || plain.contains("d");
        var hasTime = plain.contains("h") || plain.contains("s");
        return time == null
                ? Double.toString(number)
                : hasDate && hasTime
                        ? DATE.format(time) + " " + clock(time)
                        : hasTime ? clock(time) : DATE.format(time);
    }

    private static String clock(LocalDateTime time) {
        return (time.getSecond() == 0 ? MINUTES : SECONDS).format(time);
    }
}
