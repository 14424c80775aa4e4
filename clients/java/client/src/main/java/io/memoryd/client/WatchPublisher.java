package io.memoryd.client;

import java.util.Iterator;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Opens a watch for each subscriber, and publishes what it iterates over. */
final class WatchPublisher<T> implements Flow.Publisher<T> {
  private final Supplier<Watch> watching;
  private final Function<Watch, Iterable<T>> items;

  WatchPublisher(Supplier<Watch> watching, Function<Watch, Iterable<T>> items) {
    this.watching = watching;
    this.items = items;
  }

  @Override
  public void subscribe(Flow.Subscriber<? super T> subscriber) {
    Delivery delivery = new Delivery(Objects.requireNonNull(subscriber, "subscriber"));
    subscriber.onSubscribe(delivery);
    Thread thread = new Thread(delivery::run, "memoryd-watch");
    thread.setDaemon(true);
    delivery.start(thread);
  }

  /** One watch. Its thread waits for demand, and for the next item. */
  private final class Delivery implements Flow.Subscription {
    private final Flow.Subscriber<? super T> subscriber;
    // Guarded by this.
    private long demand;
    private boolean cancelled;
    private @Nullable Throwable failure;
    private @Nullable Thread thread;
    private @Nullable Watch watch;

    Delivery(Flow.Subscriber<? super T> subscriber) {
      this.subscriber = subscriber;
    }

    @Override
    public synchronized void request(long count) {
      if (count <= 0) {
        failure = new IllegalArgumentException("a request must be positive, not " + count);
        end();
      } else {
        demand = demand + count < 0 ? Long.MAX_VALUE : demand + count;
      }
      notifyAll();
    }

    @Override
    public synchronized void cancel() {
      cancelled = true;
      end();
      notifyAll();
    }

    /** Ends the watch, or its opening. */
    private void end() {
      if (watch != null) {
        watch.close();
      } else if (thread != null && thread != Thread.currentThread()) {
        thread.interrupt();
      }
    }

    synchronized void start(Thread begun) {
      if (!cancelled) {
        thread = begun;
        begun.start();
      }
    }

    void run() {
      Throwable error = null;
      try (Watch opened = watching.get()) {
        if (opened(opened)) {
          deliver(items.apply(opened).iterator());
        }
      } catch (RuntimeException | Error thrown) {
        error = thrown;
      }
      finish(error);
    }

    private void deliver(Iterator<T> iterator) {
      while (isWanted() && iterator.hasNext()) {
        subscriber.onNext(iterator.next());
      }
    }

    /** Takes note of the open watch. Returns false if the subscription has ended meanwhile. */
    private synchronized boolean opened(Watch opened) {
      watch = opened;
      return !cancelled && failure == null;
    }

    /** Waits until an item is wanted. Returns false once the subscription has ended. */
    private synchronized boolean isWanted() {
      while (demand == 0 && !cancelled && failure == null) {
        try {
          wait();
        } catch (InterruptedException interrupted) {
          cancelled = true;
        }
      }
      if (demand < Long.MAX_VALUE) {
        demand--;
      }
      return !cancelled && failure == null;
    }

    private void finish(@Nullable Throwable error) {
      Throwable reason;
      synchronized (this) {
        if (cancelled) {
          return;
        }
        reason = failure == null ? error : failure;
      }
      if (reason == null) {
        subscriber.onComplete();
      } else {
        subscriber.onError(reason);
      }
    }
  }
}
