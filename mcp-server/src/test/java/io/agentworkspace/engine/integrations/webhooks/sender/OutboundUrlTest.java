package io.agentworkspace.engine.integrations.webhooks.sender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.kernel.outbound.AddressPolicy;
import io.agentworkspace.engine.kernel.outbound.OutboundUrl;
import io.agentworkspace.engine.kernel.outbound.PublicAddress;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OutboundUrlTest {
    @ParameterizedTest
    @CsvSource({
        "https://hooks.example.com, https://hooks.example.com/",
        "https://hooks.example.com?a=b, https://hooks.example.com/?a=b",
        "HTTPS://Hooks.Example.COM/Path, https://hooks.example.com/Path",
        "https://hooks.example.com:443/a?b=c%20d, https://hooks.example.com/a?b=c%20d",
        "https://hooks.example.com:8443/a/../b, https://hooks.example.com:8443/a/../b",
        "https://198.41.0.4/, https://198.41.0.4/",
        "https://[2606:4700::1111]:2/, https://[2606:4700:0:0:0:0:0:1111]:2/",
        "https://[64:ff9b::198.41.0.4]/, https://[64:ff9b:0:0:0:0:c629:4]/",
        "https://bücher.example/größe, https://xn--bcher-kva.example/gr%C3%B6%C3%9Fe",
        "https://3com.example.com/, https://3com.example.com/",
        "https://a--b.example/, https://a--b.example/"
    })
    void isNormalised(String url, String right) {
        assertThat(OutboundUrl.parse(url, false)).hasToString(right);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            hooks.example.com          | url must be a whole address, like https://hooks.example.com/engine
            http://hooks.example.com/  | url must begin with https://; the operator allows http:// with ENGINE_WEBHOOKS_ALLOW_PRIVATE
            https:///path              | url must name a host, like https://hooks.example.com/engine
            https://a:b@example.com/   | url must have no user info: leave out what stands before '@'; deliveries are signed instead
            https://example.com/#a     | url must have no fragment: leave out '#' and what follows it
            https://example.com:0/     | url must have a port from 1 to 65535, or none
            https://example.com:65536/ | url must have a port from 1 to 65535, or none
            https://example.com:25/    | url must not have the port 25, where something else than HTTP is spoken: leave it out, or take one like 8443
            https://example.com./      | url must have a host of letters, digits, '-' and single dots between, like hooks.example.com
            https://ex%61mple.com/     | url must have a host of letters, digits, '-' and single dots between, like hooks.example.com
            https://foo.1a/            | url must have a host whose last part begins with a letter, like hooks.example.com
            https://my_host.com/       | url must have a host of letters, digits, '-' and single dots between, like hooks.example.com
            https://faß.example/       | url has a host that is spelt in two ways in ASCII: give it in the form that begins with xn--
            https://198.41.4/          | url must spell an IPv4 address as four decimal numbers, like 198.41.0.4
            https://10.0.0.1/          | url leads to 10.0.0.1, which is private: name a host that can be reached from the internet
            https://localhost/         | url leads to this machine itself: name a host that can be reached from the internet
            https://example.com/a b    | url has a character that a URL cannot hold, such as a space or a backslash: percent-encode it
            """)
    void isRefusedWithWhatWouldBeRight(String url, String note) {
        assertThatThrownBy(() -> OutboundUrl.parse(url, false))
                .isInstanceOf(Problem.class)
                .hasMessage(note);
    }

    @ParameterizedTest
    @CsvSource({
        "http://client.example/a.json, must begin with https://",
        "http://127.0.0.1:8080/a.json, must begin with https://",
        "https://127.0.0.1:8080/a.json, loopback",
        "https://localhost:8080/a.json, this machine itself",
        "https://10.1.2.3/a.json, private",
        "https://[::1]/a.json, loopback",
        "https://[::ffff:10.0.0.1]/a.json, plain IPv6",
        "https://169.254.169.254/latest, link-local",
        "https://client.example:22/a.json, port 22"
    })
    void documentsAboutClientsAreReadFromThePublicInternetOnly(String url, String note) {
        assertThatThrownBy(() -> OutboundUrl.parse(url, AddressPolicy.PUBLIC))
                .isInstanceOf(Problem.class)
                .hasMessageContaining(note)
                .hasMessageNotContaining("ENGINE_");
    }

    @Test
    void isAtMostTwoThousandCharactersLongAlsoWhenItIsEncoded() {
        assertThatThrownBy(() -> OutboundUrl.parse("https://example.com/" + "\u6f22".repeat(300), false))
                .hasMessage("url, percent-encoded, has 2,720 characters; at most 2,000 are allowed");
    }

    @Test
    void isAtMostTwoThousandCharactersLong() {
        var longest = "https://example.com/" + "x".repeat(1_980);
        assertThat(OutboundUrl.parse(longest, false)).hasToString(longest);
        assertThatThrownBy(() -> OutboundUrl.parse(longest + "x", false))
                .isInstanceOfSatisfying(
                        Problem.class, e -> assertThat(e.failure()).isEqualTo(Failure.TOO_LARGE));
        assertThatThrownBy(() -> OutboundUrl.parse("https://" + "a.".repeat(130) + "example/", false))
                .hasMessageStartingWith("url must have a host");
    }

    @ParameterizedTest
    @CsvSource({
        "http://127.0.0.1:80/, http://127.0.0.1/",
        "http://localhost:8080/hook, http://localhost:8080/hook",
        "https://[::1]/, https://[0:0:0:0:0:0:0:1]/",
        "https://192.168.1.2/, https://192.168.1.2/",
        "https://[fd12::5efe:a00:1]/, https://[fd12:0:0:0:0:5efe:a00:1]/"
    })
    void mayBePrivateWhereTheSettingSaysSo(String url, String right) {
        assertThat(OutboundUrl.parse(url, true)).hasToString(right);
    }

    @ParameterizedTest
    @CsvSource({
        "http://169.254.169.254/",
        "http://0.0.0.0/",
        "http://224.0.0.1/",
        "http://[fd00:ec2::254]/",
        "ftp://a/",
        "http://[fd00:ec2::5efe:808:808]/",
        "http://[fe80::5efe:808:808]/",
        "http://[fd12::5efe:169.254.169.254]/"
    })
    void isNeverForMetadataOrMulticast(String url) {
        assertThatThrownBy(() -> OutboundUrl.parse(url, true)).isInstanceOf(Problem.class);
    }

    @ParameterizedTest
    @CsvSource({
        "8.8.8.8",
        "9.255.255.255",
        "11.0.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.167.255.255",
        "192.169.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "169.253.255.255",
        "169.255.0.0",
        "192.0.1.0",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "1.0.0.0",
        "2606:4700::1111",
        "2001:200::",
        "2001:4860:4860::8888",
        "2002:808:808::1",
        "64:ff9b::808:808",
        "2400::5efe:808:808"
    })
    void whatLiesBesideASpecialNetworkIsPublic(String address) {
        assertThat(PublicAddress.refusal(InetAddress.ofLiteral(address), false)).isNull();
    }
}
