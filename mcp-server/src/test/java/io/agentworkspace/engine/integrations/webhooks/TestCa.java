package io.agentworkspace.engine.integrations.webhooks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** A test authority with its signed certificates, all in one key store, created with the JDK's keytool. */
public final class TestCa {
    static final String PASSWORD = "changeit";

    private final Path store;

    public TestCa(Path folder) {
        store = folder.resolve("ca.p12");
        keytool(
                "-genkeypair",
                "-alias",
                "ca",
                "-keyalg",
                "EC",
                "-dname",
                "CN=Test CA " + folder.getFileName(),
                "-ext",
                "bc:c");
    }

    /**
     * Signs a certificate.
     *
     * @param names in the format of keytool's {@code san}: {@code dns:hook.test,ip:127.0.0.1}
     * @param start in keytool's format: {@code -1d}
     */
    public TestCa sign(String alias, String names, String start, int days) {
        keytool(
                "-genkeypair",
                "-alias",
                alias,
                "-signer",
                "ca",
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + alias,
                "-ext",
                "san=" + names,
                "-startdate",
                start,
                "-validity",
                Integer.toString(days));
        return this;
    }

    /** Returns a key store with one certificate, since a server chooses any of several for one name. */
    KeyStore alone(String alias) throws GeneralSecurityException, IOException {
        var all = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
        var one = KeyStore.getInstance("PKCS12");
        one.load(null, null);
        one.setKeyEntry(
                alias,
                all.getKey(alias, PASSWORD.toCharArray()),
                PASSWORD.toCharArray(),
                all.getCertificateChain(alias));
        return one;
    }

    public X509Certificate authority() {
        try {
            return (X509Certificate)
                    KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray()).getCertificate("ca");
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the authority's certificate in the format of {@code ENGINE_WEBHOOKS_CA_FILE}. */
    public Path pem() {
        try {
            var text = Base64.getMimeEncoder().encodeToString(authority().getEncoded());
            return Files.writeString(
                    store.resolveSibling("ca.pem"),
                    "-----BEGIN CERTIFICATE-----\n" + text + "\n-----END CERTIFICATE-----\n");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the certificate with this name and that of the authority, in PEM. */
    Path certificate(String alias) {
        try {
            var text = new StringBuilder();
            for (var certificate : open().getCertificateChain(alias)) {
                text.append(pem("CERTIFICATE", certificate.getEncoded()));
            }
            return Files.writeString(store.resolveSibling(alias + ".crt"), text);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns its private key, in PEM. */
    Path key(String alias) {
        try {
            var key = open().getKey(alias, PASSWORD.toCharArray());
            return Files.writeString(store.resolveSibling(alias + ".key"), pem("PRIVATE KEY", key.getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private KeyStore open() throws GeneralSecurityException, IOException {
        return KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
    }

    private static String pem(String what, byte[] encoded) {
        return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n"
                .formatted(what, Base64.getMimeEncoder().encodeToString(encoded));
    }

    private void keytool(String... arguments) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
        command.addAll(List.of(arguments));
        command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD, "-keystore", store.toString()));
        try {
            var process = new ProcessBuilder(command).redirectErrorStream(true).start();
            var said = new String(process.getInputStream().readAllBytes());
            if (process.waitFor() != 0) {
                throw new IllegalStateException(said);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
