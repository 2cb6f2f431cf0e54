package io.agentworkspace.engine.identity.rules.cel;

import dev.cel.common.CelIssue;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Rewords the compiler's errors, each with the correction. */
final class ErrorTexts {
    private static final Pattern FIELD = Pattern.compile("undefined field '(.*)'");
    private static final Pattern REFERENCE = Pattern.compile("undeclared reference to '(.*?)'.*", Pattern.DOTALL);
    private static final Pattern OVERLOAD = Pattern.compile(
            "found no matching overload for '(.*?)' applied to '\\(?(.*?)\\)?' \\(candidates.*", Pattern.DOTALL);
    private static final Pattern OPERATOR = Pattern.compile("[_!@-]*([^_@]+?)_*");
    private static final Pattern RESULT = Pattern.compile("expected type 'bool' but found '(.*)'");
    private static final Pattern EXPECTING = Pattern.compile("^(.*?)(?: expecting .*)?$", Pattern.DOTALL);
    private static final Pattern WORD_BEFORE = Pattern.compile("([A-Za-z_]\\w*)\\s*$");

    private final String text;
    private final Environment environment;

    ErrorTexts(String text, Environment environment) {
        this.text = text;
        this.environment = environment;
    }

    /** Returns the first error. */
    ExpressionError of(List<CelIssue> issues) {
        var issue = issues.getFirst();
        var place = issue.getSourceLocation();
        var line = Math.max(1, place.getLine());
        var column = Math.max(0, place.getColumn());
        return new ExpressionError(line, column + 1, said(issue.getMessage(), line, column));
    }

    private String said(String message, int line, int column) {
        Matcher found;
        if (message.contains(" limit ") && message.endsWith(" exceeded")) {
            return "from here on it has too many parts: use fewer conditions, shorter lists, or several rules";
        } else if ((found = FIELD.matcher(message)).matches()) {
            return field(found.group(1), line, column);
        } else if ((found = REFERENCE.matcher(message)).matches()) {
            return reference(found.group(1));
        } else if ((found = OVERLOAD.matcher(message)).matches()) {
            return overload(found.group(1), found.group(2));
        } else if ((found = RESULT.matcher(message)).matches()) {
            return "the expression is a %s; it must be true or false, as a comparison is".formatted(found.group(1));
        } else if ((found = EXPECTING.matcher(message)).matches()) {
            return found.group(1).replace("'<EOF>'", "the end of the expression");
        }
        return message;
    }

    private String field(String name, int line, int column) {
        var variable = WORD_BEFORE.matcher(before(line, column));
        var struct =
                variable.find() ? Variables.struct(variable.group(1)) : java.util.Optional.<Variables.Struct>empty();
        return struct.map(names -> "%s has no field '%s'%s; its fields are %s"
                        .formatted(
                                names.variable(),
                                Name.shortened(name),
                                near(name, names.fields()),
                                String.join(", ", names.fields())))
                .orElseGet(() -> "there is no field '%s' here".formatted(Name.shortened(name)));
    }

    private String before(int line, int column) {
        var lines = text.lines().toList();
        var whole = line <= lines.size() ? lines.get(line - 1) : "";
        return whole.substring(
                0, whole.offsetByCodePoints(0, Math.min(column, whole.codePointCount(0, whole.length()))));
    }

    private String reference(String name) {
        var variables = List.copyOf(Variables.types().keySet());
        var names = Stream.concat(variables.stream(), environment.functionNames().stream())
                .toList();
        return "there is no variable or function '%s'%s; the variables are %s; the functions are %s"
                .formatted(
                        Name.shortened(name),
                        near(name, names),
                        String.join(", ", variables),
                        String.join(", ", environment.functionNames()));
    }

    private static String overload(String function, String types) {
        var operator = OPERATOR.matcher(function);
        var symbol = operator.matches() ? operator.group(1) : function;
        return "%s does not work on (%s); both sides of an operator need the same type, and texts are not joined"
                .formatted(symbol, types);
    }

    private static String near(String name, List<String> names) {
        var near = Near.nearest(name, names, 1);
        return near.isEmpty() ? "" : ", did you mean %s?".formatted(near.getFirst());
    }
}
