/** What endpoints share: the limits of requests ({@code BodyReader}, {@code RateBuckets}, {@code FairShare}), JSON responses, proxies, and the pages of this server. */
@NullMarked
package io.agentworkspace.engine.kernel.http;

import org.jspecify.annotations.NullMarked;
