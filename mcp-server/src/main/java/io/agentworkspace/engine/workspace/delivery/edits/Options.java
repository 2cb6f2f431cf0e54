package io.agentworkspace.engine.workspace.delivery.edits;

import io.agentworkspace.engine.workspace.delivery.edits.ShellCommand.Word;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The options and operands among the arguments of a command. */
final class Options {
    /** A longer word has no letters of options, and is not compared with them. */
    private static final int MOST_LETTERS = 64;

    private Options() {}

    /** Returns whether one of the options is there: as letters after one hyphen, or whole. */
    static boolean has(List<Word> arguments, String letters, String... options) {
        return arguments.stream()
                .map(Word::text)
                .takeWhile(text -> !text.equals("--"))
                .anyMatch(text ->
                        !letters.isEmpty() && text.length() <= MOST_LETTERS && text.matches("-(?:" + letters + ")")
                                || List.of(options).contains(text)
                                || List.of(options).stream()
                                        .anyMatch(option -> option.startsWith("--") && text.startsWith(option + "=")));
    }

    static List<Word> operands(List<Word> arguments, Set<String> valued) {
        return operands(arguments, valued, false);
    }

    /** @param isPlain whether no option has a value */
    static List<Word> operands(List<Word> arguments, Set<String> valued, boolean isPlain) {
        var operands = new ArrayList<Word>();
        var onlyOperands = false;
        for (var i = 0; i < arguments.size(); i++) {
            var word = arguments.get(i);
            if (onlyOperands || !word.isOption()) {
                operands.add(word);
            } else if (word.text().equals("--")) {
                onlyOperands = true;
            } else if (!isPlain && valued.contains(word.text())) {
                i++;
            }
        }
        return operands;
    }

    /** Returns the values of an option: after it, after its equals sign, or in the same word. */
    static List<Word> after(List<Word> arguments, String letter, String option) {
        var values = new ArrayList<Word>();
        for (var i = 0; i < arguments.size(); i++) {
            var word = arguments.get(i);
            var isLast = !letter.isEmpty() && word.text().matches("-[A-Za-z]*" + letter.charAt(1));
            var isOutput = !letter.isEmpty() && word.text().matches("-[A-Za-z]*" + letter.charAt(1) + "-");
            if ((isLast || word.text().equals(option)) && i + 1 < arguments.size()) {
                values.add(arguments.get(++i));
            } else if (isOutput) {
                values.add(word.from(word.text().length() - 1));
            } else if (word.text().startsWith(option + "=")) {
                values.add(word.from(option.length() + 1));
            } else if (!letter.isEmpty()
                    && word.text().startsWith(letter)
                    && word.text().length() > 2
                    && !word.text().startsWith("--")) {
                values.add(word.from(2));
            }
        }
        return values;
    }
}
