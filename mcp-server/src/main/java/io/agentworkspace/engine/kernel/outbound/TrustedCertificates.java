package io.agentworkspace.engine.kernel.outbound;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;

/**
 * The certificate authorities trusted for customers' receivers: the JVM's, and those of {@code ENGINE_WEBHOOKS_CA_FILE}.
 */
public final class TrustedCertificates {
    private static final String BEGIN = "-----BEGIN ";

    private TrustedCertificates() {}

    /**
     * Reads a file of PEM certificates.
     *
     * @throws IllegalArgumentException if the file cannot be read, contains anything else, or contains no certificate
     */
    public static List<X509Certificate> read(Path file) {
        try {
            var text = Files.readString(file, StandardCharsets.ISO_8859_1);
            var found = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1)))
                    .stream()
                    .map(X509Certificate.class::cast)
                    .toList();
            // The JDK ignores a truncated certificate at the end of the file.
            if (found.isEmpty() || found.size() != text.split(BEGIN, -1).length - 1) {
                throw new IllegalArgumentException("not every certificate of the file can be read");
            }
            return found;
        } catch (IOException | CertificateException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** Returns the TLS configuration for clients. It verifies the certificate chain and the host name. */
    public static SslContextFactory.Client tls(List<X509Certificate> authorities) {
        var tls = new SslContextFactory.Client();
        tls.setEndpointIdentificationAlgorithm("HTTPS");
        if (!authorities.isEmpty()) {
            tls.setTrustStore(store(authorities));
        }
        return tls;
    }

    private static KeyStore store(List<X509Certificate> authorities) {
        try {
            var store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            put(store, "jvm-", shipped());
            put(store, "file-", authorities);
            return store;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("the JVM's own certificates cannot be read", e);
        }
    }

    private static List<X509Certificate> shipped() throws GeneralSecurityException {
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        @Nullable KeyStore theJvms = null;
        factory.init(theJvms);
        return Arrays.stream(factory.getTrustManagers())
                .filter(X509TrustManager.class::isInstance)
                .flatMap(manager -> Arrays.stream(((X509TrustManager) manager).getAcceptedIssuers()))
                .toList();
    }

    private static void put(KeyStore store, String prefix, List<X509Certificate> certificates)
            throws GeneralSecurityException {
        for (var certificate : certificates) {
            store.setCertificateEntry(prefix + store.size(), certificate);
        }
    }
}
