/** The process: reads its settings, assembles the parts by hand, starts and stops them. */
@NullMarked
package io.agentworkspace.engine;

import org.jspecify.annotations.NullMarked;
