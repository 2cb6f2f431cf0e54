package io.agentworkspace.engine.identity.signin;

import static org.assertj.core.api.Assertions.assertThat;

import io.jsonwebtoken.JwtBuilder;
import org.junit.jupiter.api.Test;

/** E-mail addresses in the assertions of a provider (ID-JAG). They never prove who a user is: providers reassign them. */
class AssertedEmailTest extends IdentityAssertionsFixture {
    private static JwtBuilder with(String subject, String email) {
        return named(subject, "{'format':'email','email':'%s'}".formatted(email))
                .subject(subject);
    }

    private static void assertRefused(JwtBuilder draft, String why) {
        var got = token(draft);
        assertThat(got.at("/error")).as(got.toString()).isEqualTo("invalid_grant");
        assertThat(got.at("/error_description")).contains(why);
    }

    @Test
    void anAddressAloneNamesNobody() {
        assertThat(token(draft("anna")).status()).isEqualTo(200);
        assertRefused(named("anna", "{'format':'email','email':'anna@example.org'}"), "send sub, too");
    }

    @Test
    void anAddressBesideTheSubjectMustBeOfTheSameUser() {
        assertThat(token(draft("zoe")).status()).isEqualTo(200);
        assertThat(token(draft("eve")).status()).isEqualTo(200);
        assertThat(token(with("zoe", "Zoe@example.org").claim("email", null)).status())
                .isEqualTo(200);
        assertRefused(with("eve", "zoe@example.org").claim("email", null), "different users");
        assertRefused(with("eve", "zoe@example.org"), "different users");
        assertRefused(with("eve", "zoe@example.org").claim("email", "zoe@example.org"), "different users");
        assertRefused(with("eve", "unknown@example.org").claim("email", null), "different users");
        assertThat(email("eve")).contains("eve@example.org");
    }

    @Test
    void anAddressThatNobodyHasYetMustBeReportedAsVerified() {
        assertRefused(with("newcomer", "newcomer@example.org").claim("email_verified", null), "different users");
        assertThat(email("newcomer")).isEmpty();
        assertThat(token(with("newcomer", "newcomer@example.org")).status()).isEqualTo(200);
        var moved = with("newcomer", "moved@example.org").claim("email", "moved@example.org");
        assertThat(token(moved).status()).isEqualTo(200);
        assertThat(email("newcomer")).contains("moved@example.org");
    }

    @Test
    void anAddressOfTwoUsersNamesNobody() {
        assertThat(token(draft("una")).status()).isEqualTo(200);
        assertThat(token(draft("two").claim("email", "una@example.org")).status())
                .isEqualTo(200);
        assertRefused(with("una", "una@example.org"), "different users");
    }

    /** An assertion that does not say whether an address is verified does not say that it no longer is. */
    @Test
    void onlyAnAddressThatIsReportedAsUnverifiedIsForgotten() {
        assertThat(token(draft("ida")).status()).isEqualTo(200);
        assertThat(token(draft("ida").claim("email_verified", null)).status()).isEqualTo(200);
        assertThat(email("ida")).contains("ida@example.org");
        assertThat(token(draft("ida").claim("email_verified", false)).status()).isEqualTo(200);
        assertThat(email("ida")).contains("");
    }
}
