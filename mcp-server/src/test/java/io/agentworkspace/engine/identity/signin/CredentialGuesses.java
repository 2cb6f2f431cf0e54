package io.agentworkspace.engine.identity.signin;

import java.util.Random;

/** Generates credentials that resemble a valid one, or do not, but never the valid one itself. */
final class CredentialGuesses {
    private final Random random;
    private final String good;
    private final String alphabet;

    /** @param alphabet the characters of the valid credential */
    CredentialGuesses(String good, String alphabet, long seed) {
        this.good = good;
        this.alphabet = alphabet;
        this.random = new Random(seed);
    }

    /** Returns a credential of the same form, with random characters from some position on. */
    String random() {
        return differing(text -> {
            for (var i = random.nextInt(text.length()); i < text.length(); i++) {
                if (alphabet.indexOf(text.charAt(i)) >= 0) {
                    text.setCharAt(i, any());
                }
            }
        });
    }

    /**
     * Returns the credential with one or two errors: a character changed, lost, added, swapped or in the
     * other case, or the rest cut off.
     */
    String mutated() {
        return differing(text -> {
            for (var slips = random.nextInt(1, 3); slips > 0; slips--) {
                slip(text);
            }
        });
    }

    /**
     * Returns the credential with changed letters only, since the server cuts off characters that a cookie cannot contain.
     */
    String mutatedLetters() {
        return differing(text -> {
            for (var slips = random.nextInt(1, 4); slips > 0; slips--) {
                text.setCharAt(random.nextInt(text.length()), any());
            }
        });
    }

    private void slip(StringBuilder text) {
        if (text.isEmpty()) {
            return;
        }
        var at = random.nextInt(text.length());
        switch (random.nextInt(7)) {
            case 0 -> text.setCharAt(at, any());
            case 1 -> text.setCharAt(at, (char) random.nextInt(33, 127));
            case 2 -> text.deleteCharAt(at);
            case 3 -> text.insert(at, any());
            case 4 -> text.setLength(at);
            case 5 -> {
                var other = random.nextInt(text.length());
                var kept = text.charAt(at);
                text.setCharAt(at, text.charAt(other));
                text.setCharAt(other, kept);
            }
            default -> text.setCharAt(at, flipped(text.charAt(at)));
        }
    }

    private char any() {
        return alphabet.charAt(random.nextInt(alphabet.length()));
    }

    private static char flipped(char c) {
        return Character.isUpperCase(c) ? Character.toLowerCase(c) : Character.toUpperCase(c);
    }

    private String differing(java.util.function.Consumer<StringBuilder> change) {
        while (true) {
            var text = new StringBuilder(good);
            change.accept(text);
            if (!text.toString().equals(good)) {
                return text.toString();
            }
        }
    }
}
