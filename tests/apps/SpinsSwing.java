import java.awt.FlowLayout;
import java.util.Locale;
import javax.swing.JButton;
import javax.swing.JFrame;
import javax.swing.JSpinner;
import javax.swing.SpinnerNumberModel;
import javax.swing.SwingUtilities;

/** Two number fields; the title has the numbers of the program, then those that were applied. */
public class SpinsSwing {
    private static final JFrame WINDOW = new JFrame("Spins");
    private static JSpinner delay, gain;
    private static String applied = "nothing";

    private static String numbers() {
        double one = ((Number) delay.getValue()).doubleValue(), other = ((Number) gain.getValue()).doubleValue();
        return String.format(Locale.ROOT, "%.2f %.2f", one, other);
    }

    private static void tell() {
        WINDOW.setTitle("Spins " + numbers() + " applied " + applied);
    }

    private static JSpinner field(String name, double value) {
        JSpinner field = new JSpinner(new SpinnerNumberModel(value, -1000, 1000, 0.5));
        field.setEditor(new JSpinner.NumberEditor(field, "0.00"));
        field.getAccessibleContext().setAccessibleName(name);
        field.addChangeListener(event -> tell());
        return field;
    }

    public static void main(String[] arguments) {
        SwingUtilities.invokeLater(() -> {
            JButton button = new JButton("Apply");
            delay = field("Delay", 1);
            gain = field("Gain", -3.5);
            button.addActionListener(event -> {
                applied = numbers();
                tell();
            });
            WINDOW.setLayout(new FlowLayout());
            WINDOW.add(button);
            WINDOW.add(delay);
            WINDOW.add(gain);
            WINDOW.setSize(400, 120);
            WINDOW.setDefaultCloseOperation(JFrame.EXIT_ON_CLOSE);
            WINDOW.setVisible(true);
            tell();
        });
    }
}
