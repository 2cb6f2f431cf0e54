package io.agentworkspace.engine.workspace.delivery.edits;

import java.util.List;

/**
 * One command of a shell's text.
 *
 * @param words its name and arguments
 * @param outputs the files into which it is redirected
 * @param input the text after {@code <<}; empty if there is none
 */
record ShellCommand(List<Word> words, List<Word> outputs, StringBuilder input) {
    /**
     * A word of a command.
     *
     * @param text without quotation marks
     * @param pattern the same as a glob, in which quoted signs stand for themselves and what is not known is a star
     * @param isPattern whether it has signs that the shell expands
     * @param isKnown whether it has no variable or output of a command that only the shell knows
     */
    record Word(String text, String pattern, boolean isPattern, boolean isKnown) {
        boolean isOption() {
            return text.startsWith("-") && text.length() > 1;
        }

        /** Returns the rest of the word. */
        Word from(int index) {
            return new Word(
                    text.substring(index), pattern.substring(Math.min(index, pattern.length())), isPattern, isKnown);
        }
    }
}
