import java.awt.FlowLayout;
import java.util.Locale;
import javax.swing.JButton;
import javax.swing.JFrame;
import javax.swing.JSpinner;
import javax.swing.SpinnerNumberModel;
import javax.swing.JTextField;
import javax.swing.JToolBar;
import javax.swing.SwingUtilities;

/**
 * Two number fields and a toolbar with a field for a style, which counts once Enter is pressed. The title has the numbers
 * and the style of the program, then the numbers that were applied.
 */
public class SpinsSwing {
    private static final JFrame WINDOW = new JFrame("Spins");
    private static JSpinner delay, gain;
    private static String applied = "nothing", style = "none";

    private static String numbers() {
        double one = ((Number) delay.getValue()).doubleValue(), other = ((Number) gain.getValue()).doubleValue();
        return String.format(Locale.ROOT, "%.2f %.2f", one, other);
    }

    private static void tell() {
        WINDOW.setTitle("Spins " + numbers() + " style " + style + " applied " + applied);
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
            JTextField field = new JTextField(12);
            field.getAccessibleContext().setAccessibleName("Style");
            field.addActionListener(event -> {
                style = field.getText();
                tell();
            });
            JToolBar bar = new JToolBar();
            bar.add(field);
            WINDOW.add(bar);
            WINDOW.setSize(600, 120);
            WINDOW.setDefaultCloseOperation(JFrame.EXIT_ON_CLOSE);
            WINDOW.setVisible(true);
            tell();
        });
    }
}
