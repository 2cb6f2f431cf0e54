/** {@code ./engine bundle}: {@code Bundle} collects what a bug report needs in one archive, and {@code Redaction} removes secrets from it. */
@NullMarked
package io.agentworkspace.engine.app.bundle;

import org.jspecify.annotations.NullMarked;
