package io.agentworkspace.engine.model.problem;

import static org.assertj.core.api.Assertions.assertThat;

import java.text.Normalizer;
import java.util.Locale;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NameTest {
    @ParameterizedTest
    @CsvSource({
        "Stra\u1E9Ee, Stra\u00DFe",
        "STRA\u1E9EE, STRASSE",
        "Ada  Lovelace, ada lovelace",
        "Ada\u3000Lovelace, ada lovelace",
        "\uFF21\uFF44\uFF41 \uFF11, Ada 1",
        "\uFB01n, FIN",
        "\u212Aelvin, Kelvin",
        "\u212Bngstr\u00F6m, \u00E5ngstro\u0308m",
        "\u017Fieve, Sieve",
        "\u0130z, i\u0307z",
        "KAPI, kap\u0131",
        "\u039F\u0394\u039F\u03A3, \u03BF\u03B4\u03BF\u03C2",
        "\u03BF\u03B4\u03BF\u03C3, \u03BF\u03B4\u03BF\u03C2",
        "\u1FB3, \u0391\u0399",
        "\u13A0, \uAB70",
        "\u30AB\u3099, \uFF76\uFF9E",
        "\u845B\uDB40\uDD00, \u845B",
    })
    void oneNameHasOneKey(String one, String other) {
        assertThat(Name.key(one)).isEqualTo(Name.key(other)).isEqualTo(Name.key(Name.key(one)));
    }

    /** A beginning of a name begins its key, also where its last letter has another form at the end of a word. */
    @Test
    void theKeyOfABeginningBeginsTheKey() {
        assertThat(Name.key("\u039F\u0394\u039F\u03A3\u0391")).startsWith(Name.key("\u039F\u0394\u039F\u03A3"));
    }

    @Test
    void differentNamesHaveDifferentKeys() {
        assertThat(Name.key("Ada")).isNotEqualTo(Name.key("\u00C4da"));
        assertThat(Name.key("a b")).isNotEqualTo(Name.key("ab"));
        assertThat(Name.key("a-b")).isNotEqualTo(Name.key("a_b"));
    }

    /** So stored keys can be computed again from themselves. */
    @Test
    void theKeyOfAKeyIsTheKeyOfTheName() {
        IntStream.rangeClosed(0, Character.MAX_CODE_POINT)
                .filter(c -> Character.getType(c) != Character.SURROGATE)
                .mapToObj(c -> "x" + Character.toString(c) + "y")
                .forEach(name -> {
                    var key = Name.key(name);
                    assertThat(Name.key(key)).as(name).isEqualTo(key);
                    assertThat(Name.key(formerKey(name))).as(name).isEqualTo(key);
                    assertThat(Name.key(name.toUpperCase(Locale.ROOT))).as(name).isEqualTo(key);
                    assertThat(Name.key(name.toLowerCase(Locale.ROOT))).as(name).isEqualTo(key);
                });
    }

    /** The key before migration 62. */
    private static String formerKey(String text) {
        return Normalizer.normalize(text.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT), Normalizer.Form.NFC);
    }
}
